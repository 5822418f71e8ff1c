# Runs and counts tests. Sourced, never run.

# The components whose tests are in a default run.
landing_components="portail-wasmtime_component hello-p3_component suite-folder_component"

# run_tests "PRESET..." [arguments of ctest]: runs their tests one after the other (tools/lib/run_tests.py). Without TEST_ALL it
# leaves out what tests/repeated.txt lists; without TEST_FULL, what tests/later.txt lists too.
run_tests() {
  local excluded='^(later|repeated)$' left_out status=0
  [[ -z ${TEST_FULL:-} ]] || excluded='^repeated$'
  left_out=(--label-exclude "$excluded")
  [[ -z ${TEST_ALL:-} ]] || left_out=()
  # The other presets have no tests of vectors.
  [[ $1 == edge || $1 == wasm || $1 == tsan ]] || prepare_vectors
  mkdir -p build/results
  # Stores sync each commit, which costs nothing in memory.
  [[ -n ${TMPDIR:-} ]] || ! has_room_in_memory || local -x TMPDIR=/dev/shm
  # Only one test run at a time in a checkout.
  exec 4<build/results
  flock 4
  log "testing ($1)"
  # shellcheck disable=SC2086
  run python3 -B tools/lib/run_tests.py $1 -- "${left_out[@]}" "${@:2}" 4<&- || status=$?
  exec 4<&-
  return "$status"
}

# Whether /dev/shm is a tmpfs with twice the memory of all tests.
has_room_in_memory() {
  local type available
  read -r type available < <(df --output=fstype,avail --block-size=1G /dev/shm 2>/dev/null | tail -n 1)
  [[ $type == tmpfs && -w /dev/shm ]] && ((available >= 8))
}
