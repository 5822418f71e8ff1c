# What tools/dev and .ci/run say, and how they run long work. Sourced, never run.

say() { printf 'tools/dev: %s\n' "$*" >&2; }
die() { say "$*" && exit 1; }

# run COMMAND...: a command that does not outlive this script, however the script ends.
run() { setpriv --pdeathsig TERM -- "$@"; }

# with_progress COMMAND...: the same, for a talkative command: its latest line on a terminal, else one line every ten seconds;
# its last lines when it fails.
lines_on_failure=30
with_progress() {
  local log status=0
  log=$(mktemp)
  { exec setpriv --pdeathsig TERM -- "$@"; } 2>&1 </dev/null | show_latest_line "$log" || status=$?
  ((status == 0)) || tail -n "$lines_on_failure" -- "$log" >&2
  rm -f -- "$log"
  return "$status"
}

show_latest_line() {
  local line shown=$SECONDS width=$((${COLUMNS:-80} - 6))
  while IFS= read -r line || [[ -n $line ]]; do
    printf '%s\n' "$line" >>"$1"
    if [[ -t 2 ]]; then
      printf '\r\033[K    %s' "${line:0:width}" >&2
    elif ((SECONDS >= shown + 10)); then
      printf '    … %s\n' "${line:0:160}" >&2
      shown=$SECONDS
    fi
  done
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
}

# become_root: sets as_root, the prefix of a command that root must run: sudo, and only where the caller is not root.
become_root() {
  as_root=()
  ((EUID != 0)) || return 0
  command -v sudo >/dev/null || die "this step needs root, and there is no sudo here: run it as root, or install sudo"
  as_root=(sudo --)
}
