# tools/dev serve: the native server with LMDB, the sample portal and development keys, all in .portail/ (not in git). Sourced, never run.

development_issuer=https://development.invalid
development_audience=portail

command_serve() {
  if [[ ${1:-} == --edge ]]; then
    shift
    serve_edge "$@"
  fi
  build release portail
  # Relative, since a printed command is also run outside of the root, where the checkout has another path.
  local program=build/native/portail state=.portail address=127.0.0.1:8443 settings=()
  mkdir -p -m 700 "$state"
  create_keys
  create_certificate
  import_fixtures "lmdb:$state/data"

  # A flag of the caller replaces the default setting of the same name.
  add_default --store "lmdb:$state/data" "$@"
  add_default --listen "$address" "$@"
  add_default --tls-cert "$state/tls/certificate.pem" "$@"
  add_default --tls-key "$state/tls/key.pem" "$@"
  add_default --issuer "$development_issuer" "$@"
  add_default --audience "$development_audience" "$@"
  add_default --jwks "$state/public-keys.json" "$@"
  address=$(complete_address "$(value_of_flag --listen "$@" || printf '%s' "$address")")
  add_personas "$@"
  address=$(reachable_address "$address")
  curl_options=(--cacert "$state/tls/certificate.pem")
  print_requests "https://$address"
  printf '# the page, signed in as any of these: https://%s/\n\n' "$address"
  exec "$program" serve "${settings[@]}" "$@"
}

# add_default FLAG VALUE CALLER'S FLAGS...: adds the flag to settings, unless the caller gave it.
add_default() {
  value_of_flag "$1" "${@:3}" >/dev/null || settings+=("$1" "$2")
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

create_keys() {
  [[ ! -e $state/public-keys.json ]] || return 0
  log "creating development keys ($state/keys.json)"
  rm -f "$state/keys.json"
  "$program" keys make --alg EdDSA --kid development --output "$state/keys.json"
  "$program" keys public --input "$state/keys.json" --output "$state/public-keys.json"
}

create_certificate() {
  local folder=$state/tls
  # A certificate that expires within a day is replaced.
  ! openssl x509 -checkend 86400 -noout -in "$folder/certificate.pem" >/dev/null 2>&1 || return 0
  log "creating a development certificate ($folder)"
  mkdir -p "$folder"
  (
    umask 077
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 -subj "/CN=portail (development)" \
      -addext "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1" \
      -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>/dev/null
  ) || die "openssl cannot create a certificate in $folder"
}

# import_fixtures STORE
import_fixtures() {
  local document=$checkout/fixtures/portail.json
  [[ $document -nt $state/imported || ! -d $state/data ]] || return 0
  log "importing the sample portal"
  "$program" import --store "$1" "$document"
  touch "$state/imported"
}

# print_requests BASE: prints a curl command for each persona, with curl_options.
print_requests() {
  local base=$1
  printf '\n'
  print_request client "the bundles of a client" "$base/api/app/liasse"
  print_request manager "the bundles of all clients of a manager" "$base/api/app/liasse/dashboard-list"
  print_request administrator "a change of a mail object's configuration" "$base/api/app/objet-courrier/1" \
    -X PUT -H "'Content-Type: application/json'" -d "'{\"utilisablePourLiasse\":true,\"typeAffectation\":\"Optionnel\"}'"
}

print_request() {
  local name=$1 purpose=$2 url=$3 token
  shift 3
  token=$(token_of "$name")
  printf '# %s (%s)\ncurl%s%s -H '"'"'Authorization: Bearer %s'"'"' %s\n\n' \
    "$name" "$purpose" "${curl_options[*]:+ ${curl_options[*]@Q}}" "${*:+ $*}" "$token" "$url"
}

# add_personas CALLER'S FLAGS...: lets users of the page sign in as a persona, if only this machine can reach the server.
add_personas() {
  local name
  [[ $address == 127.* || $address == localhost:* || $address == "[::1]:"* ]] || return 0
  ! value_of_flag --transport "$@" >/dev/null || return 0
  (
    umask 077
    for name in client manager administrator; do token_of "$name"; done |
      python3 -c 'import json, sys
personas = json.load(open(sys.argv[1], encoding="utf-8"))
json.dump([{**each, "token": sys.stdin.readline().strip()} for each in personas], sys.stdout)' \
        "$checkout/fixtures/personas.json" >"$state/personas.json"
  )
  add_default --page-personas "$state/personas.json" "$@"
}

# token_of PERSONA: prints a token that is valid for 12 hours.
token_of() {
  "$program" token --keys "$state/keys.json" --issuer "$development_issuer" --audience "$development_audience" \
    --lifetime 43200 $(persona_flags "$1")
}

# The token flags of a persona of fixtures/personas.json. Subjects, roles and permissions hold no white space.
persona_flags() {
  python3 - "$checkout/fixtures/personas.json" "$1" <<'PYTHON'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    persona = next(p for p in json.load(file) if p["name"] == sys.argv[2])
flags = ["--subject", persona["sub"]]
for role in persona.get("roles", []):
    flags += ["--role", role]
for permission in persona.get("permissions", []):
    flags += ["--permission", permission]
print(*flags)
PYTHON
}
