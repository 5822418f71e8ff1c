# The npm package of the module: its tools, pinned by wasm/hosts/javascript/package-lock.json, its tarball, and an installation of the tarball. All
# in build/package. Sourced, never run.

# TypeScript, esbuild and the tools of the page.
prepare_package() {
  prepare_page
  install_locked "$checkout/wasm/hosts/javascript" "$checkout/build/package" "the tools of the npm package"
}

# Builds the tarball from the module of `build wasm`, and installs it in build/package/installed.
build_npm_package() {
  local folder=$checkout/build/package
  log "building the npm package"
  rm -rf "$folder"/{src,dist,installed,page} "$folder"/*.tgz
  cp -r wasm/hosts/javascript/. LICENSE "$folder"
  run node page/build.mjs build/page/node_modules "$folder/page"
  cp "$folder/page/files.js" "$folder/src/page_files.js"
  cp fixtures/development.jsonl "$folder/src"
  render_pages "$folder" wasm/hosts/javascript/README.md=README.md
  (
    cd "$folder"
    run node build.mjs
    run node node_modules/typescript/bin/tsc
    cp ../emscripten/portail.wasm ../emscripten/portail-manage.wasm dist/
    mkdir installed
    # The modules one by one, for their unit tests.
    run node node_modules/esbuild/bin/esbuild 'src/*.ts' --format=esm --log-level=warning --outdir=installed/units
    echo '{"private":true,"type":"module"}' >installed/package.json
  )
  npm_in "$folder" pack
  npm_in "$folder/installed" install "$folder"/portail-*.tgz
}
