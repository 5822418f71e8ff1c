# npm, and packages pinned by lock files, from the npm registry that the machine's clients use. Sourced, never run.

npm_version=10.9.2
npm_hash=8ab88f10f224a0c614cb717a7f7c30499014f77134120e9c1f0211ea3cf3397592cbe483feb38e0c4b3be1c54e347292c76a1b5edb94a3289d5448484ab8ac81

# npm_in DIRECTORY ARGUMENTS...: runs npm there, with a temporary cache. npm is downloaded by corepack, because Debian's package of it
# depends on some hundred others. No install scripts are run.
npm_in() {
  local folder=$1 certificates=/etc/ssl/certs/ca-certificates.crt
  shift
  # Node trusts only its own authorities; behind a gateway those of the machine are needed.
  (
    cd "$folder"
    [[ -n ${NODE_EXTRA_CA_CERTS:-} || ! -e $certificates ]] || export NODE_EXTRA_CA_CERTS=$certificates
    export COREPACK_HOME=$checkout/build/corepack COREPACK_ENABLE_DOWNLOAD_PROMPT=0
    export npm_config_cache=$folder/cache npm_config_update_notifier=false
    with_progress corepack "npm@$npm_version+sha512.$npm_hash" "$@" --ignore-scripts --no-audit --no-fund
  )
  rm -rf "$folder/cache"
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
    log "fetching $3"
    cp "$from/package.json" "$from/package-lock.json" "$into"
    npm_in "$into" ci
    cp "$from/package-lock.json" "$into/node_modules/installed.json"
  fi
  exec 5<&-
}
