# The npm package of the module: its tools as wasm/package/package-lock.json pins them, its tarball, and the tarball installed
# as a user would install it. All in build/package. Sourced, never run.

# npm ARGUMENTS...: by corepack, as in tools/lib/provider.sh.
package_npm() {
  local certificates=/etc/ssl/certs/ca-certificates.crt
  (
    [[ -n ${NODE_EXTRA_CA_CERTS:-} || ! -e $certificates ]] || export NODE_EXTRA_CA_CERTS=$certificates
    export COREPACK_HOME=$checkout/build/package/corepack COREPACK_ENABLE_DOWNLOAD_PROMPT=0 npm_config_cache=$checkout/build/package/cache npm_config_update_notifier=false
    with_progress corepack "npm@$npm_version" "$@" --no-audit --no-fund --ignore-scripts
  )
}

# TypeScript and esbuild, once for each lock file.
prepare_package() {
  local folder=$checkout/build/package
  mkdir -p "$folder"
  # One fetcher at a time in a checkout.
  exec 5<"$folder"
  flock 5
  if ! cmp -s wasm/package/package-lock.json "$folder/node_modules/installed.json"; then
    say "fetching what makes the npm package"
    cp wasm/package/package.json wasm/package/package-lock.json "$folder"
    (cd "$folder" && package_npm ci)
    cp wasm/package/package-lock.json "$folder/node_modules/installed.json"
  fi
  exec 5<&-
}

# The tarball, from the module that the wasm preset built; and the tarball, installed in build/package/installed.
make_package() {
  local folder=$checkout/build/package
  say "making the npm package"
  rm -rf "$folder"/{src,dist,installed} "$folder"/*.tgz
  cp -r wasm/package/. LICENSE "$folder"
  (
    cd "$folder"
    run node build.mjs
    run node node_modules/typescript/bin/tsc
    cp ../wasm/portail.wasm dist/
    package_npm pack
    mkdir installed
    cd installed
    echo '{"private":true,"type":"module"}' >package.json
    package_npm install ../portail-*.tgz
  )
}
