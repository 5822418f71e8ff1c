# tools/dev fuzz. Sourced, never run.

fuzz_seconds=60
# command_fuzz [SECONDS] [TARGET...]: runs each target for that time, as many concurrently as there are processors. For each finding, add a
# unit test. The corpus, in corpus/TARGET, and findings, in findings/TARGET, are kept between runs.
command_fuzz() {
  fuzz_cache=$(cache_directory fuzz)
  local seconds=$fuzz_seconds targets=() target running=0 failed=0
  if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    seconds=$1
    shift
  fi
  targets=("$@")
  if (($# == 0)); then mapfile -t targets < <(ls tools/fuzz/corpus); fi
  for target in "${targets[@]}"; do
    [[ -d tools/fuzz/corpus/$target ]] || die "unknown target: $target ($(ls tools/fuzz/corpus | xargs))"
  done
  build fuzz "${targets[@]/#/fuzz_}"
  # The targets end with this script, however it ends.
  trap 'jobs -p | xargs -r kill 2>/dev/null' EXIT
  for target in "${targets[@]}"; do
    if ((running == $(nproc))); then
      wait -n || failed=$((failed + 1))
      running=$((running - 1))
    fi
    fuzz_one "$target" "$seconds" &
    running=$((running + 1))
  done
  for ((; running > 0; --running)); do wait -n || failed=$((failed + 1)); done
  ((failed == 0)) || die "$failed of ${#targets[@]} targets have findings: $fuzz_cache/findings"
  log "${#targets[@]} targets, $seconds s each: no findings"
}

fuzz_one() {
  local target=$1 corpus=$fuzz_cache/corpus/$1 findings=$fuzz_cache/findings/$1 log=build/fuzz/$1.log status=0
  mkdir -p "$corpus" "$findings"
  # New inputs are written to the first directory. Earlier findings are not run: a run fails only by what it finds itself.
  touch "$findings/.started"
  run_target "$target" -max_total_time="$2" -print_final_stats=1 -artifact_prefix="$findings/" "$corpus" "tools/fuzz/corpus/$target" \
    >"$log" 2>&1 || status=$?
  log "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1) runs$( ((status == 0)) || printf ', FINDINGS')"
  if ((status != 0)); then
    tail -n 40 "$log" >&2
    print_findings "$target" "$findings" >&2
    return "$status"
  fi
  minimize_corpus "$target" "$corpus" "$log"
}

# run_target TARGET ARGUMENTS...
run_target() {
  run "build/fuzz/tools/fuzz/fuzz_$1" -max_len=8192 -timeout=10 -rss_limit_mb=2048 "${@:2}"
}

# minimize_corpus TARGET CORPUS LOG: keeps only the inputs that cover code which the seeds and the other inputs do not.
minimize_corpus() {
  local target=$1 corpus=$2 log=$3 merged
  merged=$(mktemp -d "${corpus%/*}/.$target-XXXXXX")
  cp "tools/fuzz/corpus/$target"/* "$merged"
  if run_target "$target" -merge=1 "$merged" "$corpus" >>"$log" 2>&1; then
    (cd "tools/fuzz/corpus/$target" && printf '%s\0' *) | (cd "$merged" && xargs -0 rm -f)
    rm -rf "$corpus"
    mv "$merged" "$corpus"
  else
    rm -rf "$merged" # the merge failed, for example by a slow input; the corpus stays unchanged
  fi
}

# Prints the new inputs in base64, so that they can be restored from the log alone.
print_findings() {
  local file
  for file in "$2"/*; do
    [[ ! $file -nt $2/.started ]] || printf 'found by %s: base64 -d <<<%s >tools/fuzz/corpus/%s/NAME\n' "$1" "$(base64 -w 0 "$file")" "$1"
  done
}
