# Running tests, and counting them. Sourced, never run.

# run_tests PRESET [arguments of ctest]: runs them, says what it came to case by case, and fails where a case failed or was skipped
# without leave (tests/skips.txt).
run_tests() {
  local results=$checkout/build/results/$1.xml status=0
  # The other presets have no tests of vectors.
  [[ $1 == edge || $1 == wasm || $1 == tsan ]] || prepare_vectors
  mkdir -p "${results%/*}"
  rm -f "$results"
  # Stores sync each commit: where a test makes one in memory, that costs nothing.
  [[ -n ${TMPDIR:-} ]] || ! has_room_in_memory || local -x TMPDIR=/dev/shm
  # One run of tests at a time in a checkout.
  exec 4<"${results%/*}"
  flock 4
  say "testing ($1)"
  # The whole output of a test is in the results: the cases are counted from it. One more at a time than there are processors: many
  # wait for a deadline of the server's.
  run ctest --preset "$1" --parallel $(($(nproc) + 1)) --output-junit "$results" \
    --test-output-size-passed 100000000 --test-output-size-failed 100000000 "${@:2}" 4<&- || status=$?
  # There are none where the arguments only asked something of ctest.
  [[ ! -e $results ]] || run python3 -B tools/lib/count_tests.py "$1" "$results" tests/skips.txt || status=1
  exec 4<&-
  return "$status"
}

# Whether /dev/shm is memory with room for what all tests make, three times over.
has_room_in_memory() {
  local type available
  read -r type available < <(df --output=fstype,avail --block-size=1G /dev/shm 2>/dev/null | tail -n 1)
  [[ $type == tmpfs && -w /dev/shm ]] && ((available >= 8))
}
