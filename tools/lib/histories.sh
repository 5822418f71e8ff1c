# The checker of histories (tests/histories), a Go program with Porcupine, in build/histories. Sourced, never run. Its go.sum pins the
# module.

prepare_histories() {
  local folder=$checkout/build/histories
  mkdir -p "$folder"
  # Only one download at a time in a checkout.
  exec 5<"$folder"
  flock 5
  cmp -s tests/histories/checker/go.sum "$folder/fetched" || kept_tree "$folder" tests/histories/checker/go.sum fetch_porcupine
  checker_go with_progress build -o "$folder/checker" .
  exec 5<&-
}

# checker_go RUNNER ARGUMENTS...: uses Debian's toolchain, never a downloaded one. RUNNER is with_progress or download.
checker_go() {
  "$1" env -C tests/histories/checker GOTOOLCHAIN=local GOFLAGS="-modcacherw -buildvcs=false" \
    "GOMODCACHE=$checkout/build/histories/modules" go "${@:2}"
}

fetch_porcupine() {
  log "fetching Porcupine"
  checker_go download mod download
  cp tests/histories/checker/go.sum build/histories/fetched
}

# record_histories MINUTES SEED [STORE...]: records and checks the histories of these stores concurrently. Those of the last minute, and the
# pictures of refused ones, stay in build/histories.
record_histories() {
  local store stores=("${@:3}") folder=build/histories processes=() failed=()
  ((${#stores[@]} > 0)) || stores=(lmdb dir postgres redis)
  build release portail
  prepare_histories
  log "recording histories (${stores[*]}): $1 minutes, seed $2"
  for store in "${stores[@]}"; do
    run env TEST_PROGRAM=build/native/portail TEST_CHECKER=$folder/checker python3 -B tests/histories/histories.py \
      --seconds "$(awk "BEGIN { print $1 * 60 }")" --seed "$2" --store "$store" --results "$folder" >"$folder/$store.log" 2>&1 &
    processes+=($!)
  done
  for store in "${stores[@]}"; do
    wait "${processes[0]}" || failed+=("$store")
    processes=("${processes[@]:1}")
    cat "$folder/$store.log"
  done
  ((${#failed[@]} == 0)) || die "failed: ${failed[*]}"
}
