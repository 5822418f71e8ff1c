# npm, and packages pinned by lock files, from the npm registry that the machine's clients use. Sourced, never run.

npm_version=10.9.2
npm_hash=8ab88f10f224a0c614cb717a7f7c30499014f77134120e9c1f0211ea3cf3397592cbe483feb38e0c4b3be1c54e347292c76a1b5edb94a3289d5448484ab8ac81

# npm_in DIRECTORY ARGUMENTS...: runs npm there, with a temporary cache. No install scripts are run.
npm_in() {
  local folder=$1
  shift
  [[ -d $checkout/build/corepack/v1/npm/$npm_version ]] ||
    kept_tree "$checkout/build/corepack" <(echo "$npm_version $npm_hash") npm_at "$checkout/build" --version
  npm_at "$folder" "$@" --ignore-scripts --no-audit --no-fund
  rm -rf "$folder/cache"
}

# npm_at DIRECTORY ARGUMENTS...: runs npm, which corepack downloads, because Debian's package of it depends on some hundred others.
npm_at() {
  local folder=$1 certificates=/etc/ssl/certs/ca-certificates.crt
  shift
  # Node trusts only its own authorities; behind a gateway those of the machine are needed.
  (
    cd "$folder"
    [[ -n ${NODE_EXTRA_CA_CERTS:-} || ! -e $certificates ]] || export NODE_EXTRA_CA_CERTS=$certificates
    export COREPACK_HOME=$checkout/build/corepack COREPACK_ENABLE_DOWNLOAD_PROMPT=0
    export npm_config_cache=$folder/cache npm_config_update_notifier=false
    download corepack "npm@$npm_version+sha512.$npm_hash" "$@"
  )
}

# install_locked DIRECTORY INTO WHAT: installs the packages of DIRECTORY's package-lock.json in INTO/node_modules, once for each lock file.
# WHAT names them in messages.
install_locked() {
  local from=$1 into=$2
  mkdir -p "$into"
  # Only one download at a time in a checkout.
  exec 5<"$into"
  flock 5
  if ! cmp -s "$from/package-lock.json" "$into/node_modules/installed.json"; then
    kept_tree "$into/node_modules" "$from/package-lock.json" fetch_locked "$from" "$into" "$3"
    cp "$from/package-lock.json" "$into/node_modules/installed.json"
  fi
  exec 5<&-
}

fetch_locked() {
  log "fetching $3"
  cp "$1/package.json" "$1/package-lock.json" "$2"
  npm_in "$2" ci
}
