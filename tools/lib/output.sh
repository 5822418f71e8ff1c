# Messages of tools/dev and .ci/run, and the execution of long commands. Sourced, never run.

log() { printf 'tools/dev: %s\n' "$*" >&2; }
die() { log "$*" && exit 1; }

# run COMMAND...: runs a command that ends with this script, however the script ends.
run() { setpriv --pdeathsig TERM -- "$@"; }

# with_progress COMMAND...: the same for a verbose command: shows its latest line on a terminal, else one line every ten seconds, and its
# last lines if it fails.
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

# download COMMAND...: the same for a command that downloads: it runs up to three times, with pauses (seconds).
download_pauses=(5 20)
download() {
  local pause
  for pause in "${download_pauses[@]}"; do
    with_progress "$@" && return
    log "a download failed; again in $pause s: $(printf '%.120s' "$*")"
    sleep "$pause"
  done
  with_progress "$@"
}

# become_root: sets as_root, the command prefix for root: sudo, or nothing if the caller is root.
become_root() {
  as_root=()
  ((EUID != 0)) || return 0
  command -v sudo >/dev/null || die "this step requires root, and sudo is missing: run it as root, or install sudo"
  as_root=(sudo --)
}
