# The npm package of the module: its tools as wasm/package/package-lock.json pins them, its tarball, and the tarball installed
# as a user would install it. All in build/package. Sourced, never run.

# TypeScript and esbuild, and what makes the page.
prepare_package() {
  prepare_page
  install_locked "$checkout/wasm/package" "$checkout/build/package" "what makes the npm package"
}

# The tarball, from the module that `build wasm` made; and the tarball, installed in build/package/installed.
make_package() {
  local folder=$checkout/build/package
  say "making the npm package"
  rm -rf "$folder"/{src,dist,installed,page} "$folder"/*.tgz
  cp -r wasm/package/. LICENSE "$folder"
  run node core/page/build.mjs build/page/node_modules "$folder/page"
  cp "$folder/page/files.js" "$folder/src/page_files.js"
  (
    cd "$folder"
    run node build.mjs
    run node node_modules/typescript/bin/tsc
    cp ../emscripten/portail.wasm dist/
    mkdir installed
    echo '{"private":true,"type":"module"}' >installed/package.json
  )
  npm_in "$folder" pack
  npm_in "$folder/installed" install "$folder"/portail-*.tgz
}
