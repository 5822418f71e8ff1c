# Runs and counts tests. Sourced, never run.

# run_tests PRESET [arguments of ctest]: runs them, prints the number of passed, failed and skipped cases, and fails if a case failed, or
# was skipped without an entry in tests/skips.txt. Without PORTAIL_ALL_TESTS it leaves out what tests/repeated.txt lists.
run_tests() {
  local results=$checkout/build/results/$1.xml status=0 left_out=()
  [[ -n ${PORTAIL_ALL_TESTS:-} ]] || left_out=(--label-exclude '^repeated$')
  # The other presets have no tests of vectors.
  [[ $1 == edge || $1 == wasm || $1 == tsan ]] || prepare_vectors
  mkdir -p "${results%/*}"
  rm -f "$results"
  # Stores sync each commit, which costs nothing in memory.
  [[ -n ${TMPDIR:-} ]] || ! has_room_in_memory || local -x TMPDIR=/dev/shm
  # Only one test run at a time in a checkout.
  exec 4<"${results%/*}"
  flock 4
  log "testing ($1)"
  # The results have the complete output, from which cases are counted. More tests than processors, because most wait for deadlines and for
  # other programs (docs/notes/building.md).
  run ctest --preset "$1" --parallel $((2 * $(nproc) + 1)) --output-junit "$results" \
    --test-output-size-passed 100000000 --test-output-size-failed 100000000 "${left_out[@]}" "${@:2}" 4<&- || status=$?
  # There are no results if ctest was only queried.
  [[ ! -e $results ]] || run python3 -B tools/lib/count_tests.py "$1" "$results" tests/skips.txt || status=1
  exec 4<&-
  return "$status"
}

# Whether /dev/shm is a tmpfs with twice the memory of all tests.
has_room_in_memory() {
  local type available
  read -r type available < <(df --output=fstype,avail --block-size=1G /dev/shm 2>/dev/null | tail -n 1)
  [[ $type == tmpfs && -w /dev/shm ]] && ((available >= 8))
}
