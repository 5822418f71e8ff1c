# npm, and packages that a lock file pins, from the npm registry that the machine's clients use. Sourced, never run.

npm_version=10.9.2
npm_hash=8ab88f10f224a0c614cb717a7f7c30499014f77134120e9c1f0211ea3cf3397592cbe483feb38e0c4b3be1c54e347292c76a1b5edb94a3289d5448484ab8ac81

# npm_in FOLDER ARGUMENTS...: npm there, with a cache of its own that goes afterwards. npm itself comes by corepack: Debian's package
# of it brings some hundred others. Nothing that is fetched runs at installation.
npm_in() {
  local folder=$1 certificates=/etc/ssl/certs/ca-certificates.crt
  shift
  # Node believes its own authorities only; behind a gateway the machine's are needed.
  (
    cd "$folder"
    [[ -n ${NODE_EXTRA_CA_CERTS:-} || ! -e $certificates ]] || export NODE_EXTRA_CA_CERTS=$certificates
    export COREPACK_HOME=$checkout/build/corepack COREPACK_ENABLE_DOWNLOAD_PROMPT=0
    export npm_config_cache=$folder/cache npm_config_update_notifier=false
    with_progress corepack "npm@$npm_version+sha512.$npm_hash" "$@" --ignore-scripts --no-audit --no-fund
  )
  rm -rf "$folder/cache"
}

# install_locked FOLDER INTO WHAT: what FOLDER's package-lock.json pins, in INTO/node_modules; once for each lock file. WHAT is for people.
install_locked() {
  local from=$1 into=$2
  mkdir -p "$into"
  # One fetcher at a time in a checkout.
  exec 5<"$into"
  flock 5
  if ! cmp -s "$from/package-lock.json" "$into/node_modules/installed.json"; then
    say "fetching $3"
    cp "$from/package.json" "$from/package-lock.json" "$into"
    npm_in "$into" ci
    cp "$from/package-lock.json" "$into/node_modules/installed.json"
  fi
  exec 5<&-
}
