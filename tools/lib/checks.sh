# The record of the finished runs of .ci/run on this machine: a line for each, of fields that tabs separate: when it began (UTC, ISO 8601),
# commit, kind, verdict, seconds, flaky tests. Sourced, never run.

# record_check SECONDS_SINCE_1970 COMMIT KIND VERDICT SECONDS FLAKY
record_check() {
  local began
  began=$(date --utc --date="@$1" +%FT%TZ)
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$began" "${@:2}" >>"$(cache_directory '')checks.log"
}

# Prints the record, and how often each test was flaky.
command_checks() {
  local record
  record=$(cache_directory '')checks.log
  [[ -s $record ]] || die "no run of .ci/run has finished on this machine"
  cat "$record"
  cut -f 6 "$record" | tr ' ' '\n' | sed '/^$/d' | sort | uniq -c | sort -rn | sed 's/^/flaky: /'
}

# Prints how old the last passed run of all tests is.
describe_last_full_check() {
  local began commit record
  record=$(cache_directory '')checks.log
  read -r began commit < <(awk -F '\t' '$3 != "landing" && $4 == "passed" { print $1, $2 }' "$record" 2>/dev/null | tail -n 1) || true
  if [[ -z ${began:-} ]]; then
    echo "no .ci/run --full has passed on this machine"
  else
    echo "the last .ci/run --full that passed is $((($(date +%s) - $(date --date="$began" +%s)) / 3600)) hours old, of $commit"
  fi
}
