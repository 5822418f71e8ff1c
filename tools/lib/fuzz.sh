# tools/dev fuzz. Sourced, never run.

fuzz_seconds=60
fuzz_findings=build/fuzz/findings

# command_fuzz [SECONDS] [TARGET...]: runs each target for so long, one after the other. What they learn stays in
# build/fuzz/corpus for the next run, what they find in build/fuzz/findings; a finding becomes a unit test.
command_fuzz() {
  local seconds=$fuzz_seconds targets=() target found=0
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
  mkdir -p "$fuzz_findings"
  for target in "${targets[@]}"; do
    fuzz_one "$target" "$seconds" || found=$((found + 1))
  done
  ((found == 0)) || die "$found of ${#targets[@]} targets found something: $fuzz_findings"
  say "${#targets[@]} targets, $seconds s each: nothing found"
}

fuzz_one() {
  local target=$1 learned=build/fuzz/corpus/$1 log=build/fuzz/$1.log status=0
  mkdir -p "$learned"
  # The seeds come last: what is new goes into the first folder.
  run "build/fuzz/tools/fuzz/fuzz_$target" -max_total_time="$2" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$fuzz_findings/$target-" "$learned" "tools/fuzz/corpus/$target" \
    >"$log" 2>&1 || status=$?
  say "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1) runs$( ((status == 0)) || printf ', FOUND SOMETHING')"
  ((status == 0)) || tail -n 40 "$log" >&2
  return "$status"
}
