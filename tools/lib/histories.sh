# The checker of histories (tests/histories), a Go program with Porcupine, in build/histories. Sourced, never run. Its go.sum pins the
# module.

prepare_histories() {
  local folder=$checkout/build/histories
  mkdir -p "$folder"
  # Only one download at a time in a checkout.
  exec 5<"$folder"
  flock 5
  cmp -s tests/histories/checker/go.sum "$folder/fetched" || fetch_porcupine
  checker_go build -o "$folder/checker" .
  exec 5<&-
}

# Uses Debian's toolchain, never a downloaded one.
checker_go() {
  (
    cd tests/histories/checker
    GOTOOLCHAIN=local GOFLAGS="-modcacherw -buildvcs=false" GOMODCACHE=$checkout/build/histories/modules with_progress go "$@"
  )
}

fetch_porcupine() {
  log "fetching Porcupine"
  checker_go mod download
  cp tests/histories/checker/go.sum build/histories/fetched
}
