# The peers of benchmarks (tools/bench/peers): implementations in Node, in Go, in native Rust and as a Rust component. All in build/peers.
# Sourced, never run. Lock files beside their sources pin their dependencies; the toolchains are Debian's, wasmtime and wasm-tools the
# project's own.

peers_from=tools/bench/peers

prepare_peers() {
  local folder=$checkout/build/peers
  install_locked "$checkout/$peers_from/fastify" "$folder/fastify" "Fastify and fast-jwt"
  prepare_edge
  mkdir -p "$folder"/{go,rust}
  # Only one download at a time in a checkout.
  exec 5<"$folder"
  flock 5
  cmp -s "$peers_from/go/go.sum" "$folder/go/fetched" || fetch_go_peer
  cmp -s "$peers_from/rust/Cargo.lock" "$folder/rust/fetched" || fetch_rust_peers
  exec 5<&-
}

peer_go() {
  (
    cd "$peers_from/go"
    GOTOOLCHAIN=local GOFLAGS="-modcacherw -buildvcs=false" GOMODCACHE=$checkout/build/peers/go/modules with_progress go "$@"
  )
}

peer_cargo() {
  (
    cd "$peers_from/rust"
    export CARGO_HOME=$checkout/build/peers/rust/home CARGO_TARGET_DIR=$checkout/build/peers/rust
    export CARGO_TARGET_WASM32_WASIP1_LINKER=wasm-ld-19 DOCUMENT=$checkout/fixtures/portail.json
    with_progress cargo "$@" --locked
  )
}

fetch_go_peer() {
  log "fetching golang-jwt"
  peer_go mod download
  cp "$peers_from/go/go.sum" build/peers/go/fetched
}

fetch_rust_peers() {
  log "fetching axum, jsonwebtoken and wasip2"
  peer_cargo fetch
  cp "$peers_from/rust/Cargo.lock" build/peers/rust/fetched
}

build_peers() {
  local folder=$checkout/build/peers target=wasm32-wasip1
  log "building the peers in Go and in Rust"
  peer_go build -o "$folder/go/portail-go" .
  peer_cargo build --offline --release --package portail-axum
  peer_cargo build --offline --release --package portail-component --target "$target"
  # With the parsed document in the initial memory of instances. No host function is called for that.
  run build/wasmtime/wasmtime wizer -W unknown-imports-trap "$folder/rust/$target/release/portail_component.wasm" -o "$folder/rust/made.wasm"
  run build/edge-tools/wasm-tools component new "$folder/rust/made.wasm" -o "$folder/rust/portail-component.wasm" \
    --adapt "wasi_snapshot_preview1=build/edge-tools/${adapter##* }"
}
