# tools/dev serve: the native server over the sample portal that `portail development` creates in .portail/ (not in git). Sourced, never run.

command_serve() {
  if [[ ${1:-} == --edge ]]; then
    shift
    serve_edge "$@"
  fi
  create_portal
  local address flags=()
  address=$(complete_address "$(value_of_flag --listen "$@" || printf 127.0.0.1:8443)")
  # The page gives tokens of personas only if no other machine can reach the server.
  if [[ ! $address =~ ^(127\.|localhost:|\[::1\]:) ]] || value_of_flag --transport "$@" >/dev/null; then
    value_of_flag --page-personas "$@" >/dev/null || flags=(--page-personas "")
  fi
  address=$(reachable_address "$address")
  print_requests "https://$address" " --cacert .portail/certificate.pem"
  printf '# the page, signed in as any of these: https://%s/\n\n' "$address"
  exec build/native/portail serve --config .portail/portail.toml "${flags[@]}" "$@"
}

create_portal() {
  build release portail
  [[ ! -e .portail || -e .portail/portail.toml ]] || die ".portail is of an earlier version: remove it"
  log "creating the sample portal, or renewing its tokens (.portail)"
  build/native/portail development .portail fixtures/portail.json >/dev/null
}

# complete_address ADDRESS: prints the address with the program's default host or port, if it lacks one.
complete_address() {
  local address=${1,,}
  if [[ $address =~ ^[0-9]+$ ]]; then
    address=127.0.0.1:$address
  elif [[ $address != *:* || $address == *] ]]; then
    address=$address:8443
  fi
  printf '%s\n' "$address"
}

# reachable_address ADDRESS: prints the address at which this machine reaches a server that listens there.
reachable_address() {
  case $1 in
    :* | 0.0.0.0:* | "[::]:"*) printf 'localhost:%s\n' "${1##*:}" ;;
    *) printf '%s\n' "$1" ;;
  esac
}

# value_of_flag FLAG CALLER'S FLAGS...: prints the caller's value of the flag; fails if there is none.
value_of_flag() {
  local flag=$1
  shift
  while (($# > 0)); do
    case $1 in
      "$flag") printf '%s\n' "${2:-}" && return ;;
      "$flag="*) printf '%s\n' "${1#*=}" && return ;;
    esac
    shift
  done
  return 1
}

# print_requests BASE OPTIONS: prints a curl command for each persona.
print_requests() {
  printf '\n'
  print_request client "the bundles of a client" "$2" "$1/api/app/liasse"
  print_request manager "the bundles of all clients of a manager" "$2" "$1/api/app/liasse/dashboard-list"
  print_request administrator "a change of a mail object's configuration" \
    "$2 -X PUT -H 'Content-Type: application/json' -d '{\"utilisablePourLiasse\":true,\"typeAffectation\":\"Optionnel\"}'" \
    "$1/api/app/objet-courrier/1"
}

# print_request PERSONA PURPOSE OPTIONS URL
print_request() {
  printf '# %s (%s)\ncurl%s -H "Authorization: Bearer $(cat .portail/%s.token)" %s\n\n' "$1" "$2" "$3" "$1" "$4"
}
