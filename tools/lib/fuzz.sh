# tools/dev fuzz. Sourced, never run.

fuzz_seconds=60
# What runs leave for the next ones: in corpus/TARGET what they learned, in findings/TARGET what they found. PORTAIL_FUZZ_KEPT may
# name another folder instead: .ci/run's, whose checkout goes with the run.
fuzz_kept=${PORTAIL_FUZZ_KEPT:-build/fuzz}

# command_fuzz [SECONDS] [TARGET...]: runs each target for so long, as many at a time as there are processors. A finding becomes a unit
# test.
command_fuzz() {
  local seconds=$fuzz_seconds targets=() target running=0 found=0
  if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    seconds=$1
    shift
  fi
  targets=("$@")
  if (($# == 0)); then mapfile -t targets < <(ls tools/fuzz/corpus); fi
  for target in "${targets[@]}"; do
    [[ -d tools/fuzz/corpus/$target ]] || die "no such target: $target ($(ls tools/fuzz/corpus | xargs))"
  done
  build fuzz "${targets[@]/#/fuzz_}"
  # However this ends, they end with it.
  trap 'jobs -p | xargs -r kill 2>/dev/null' EXIT
  for target in "${targets[@]}"; do
    if ((running == $(nproc))); then
      wait -n || found=$((found + 1))
      running=$((running - 1))
    fi
    fuzz_one "$target" "$seconds" &
    running=$((running + 1))
  done
  for ((; running > 0; --running)); do wait -n || found=$((found + 1)); done
  ((found == 0)) || die "$found of ${#targets[@]} targets found something: $fuzz_kept/findings"
  say "${#targets[@]} targets, $seconds s each: nothing found"
}

fuzz_one() {
  local target=$1 learned=$fuzz_kept/corpus/$1 findings=$fuzz_kept/findings/$1 log=build/fuzz/$1.log status=0
  mkdir -p "$learned" "$findings"
  # What is new goes into the first folder. What was found before is tried too: it is found again until it is mended.
  run_target "$target" -max_total_time="$2" -print_final_stats=1 -artifact_prefix="$findings/" "$learned" "tools/fuzz/corpus/$target" \
    "$findings" >"$log" 2>&1 || status=$?
  say "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1) runs$( ((status == 0)) || printf ', FOUND SOMETHING')"
  if ((status != 0)); then
    tail -n 40 "$log" >&2
    print_findings "$target" "$findings" >&2
    return "$status"
  fi
  keep_what_matters "$target" "$learned" "$log"
}

# run_target TARGET ARGUMENTS...
run_target() {
  run "build/fuzz/tools/fuzz/fuzz_$1" -max_len=8192 -timeout=10 -rss_limit_mb=2048 "${@:2}"
}

# keep_what_matters TARGET LEARNED LOG: of what was learned only inputs remain that reach something the seeds and the others do not.
keep_what_matters() {
  local target=$1 learned=$2 log=$3 merged
  merged=$(mktemp -d "${learned%/*}/.$target-XXXXXX")
  cp "tools/fuzz/corpus/$target"/* "$merged"
  if run_target "$target" -merge=1 "$merged" "$learned" >>"$log" 2>&1; then
    (cd "tools/fuzz/corpus/$target" && printf '%s\0' *) | (cd "$merged" && xargs -0 rm -f)
    rm -rf "$learned"
    mv "$merged" "$learned"
  else
    rm -rf "$merged" # an input that is slow only here is no finding; all that was learned stays
  fi
}

# Prints the inputs themselves, so that they can be restored from the log alone.
print_findings() {
  local file
  for file in "$2"/*; do
    [[ ! -f $file ]] || printf 'found by %s: base64 -d <<<%s >tools/fuzz/corpus/%s/NAME\n' "$1" "$(base64 -w 0 "$file")" "$1"
  done
}
