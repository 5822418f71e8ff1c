# npm packages that a lock file pins, from the npm registry that the machine's clients use. Sourced, never run.

npm_version=10.9.2

# install_locked FOLDER INTO WHAT: what FOLDER's package-lock.json pins, in INTO/node_modules; once for each lock file. WHAT is for people.
install_locked() {
  local from=$1 into=$2 certificates=/etc/ssl/certs/ca-certificates.crt
  mkdir -p "$into"
  # One fetcher at a time in a checkout.
  exec 5<"$into"
  flock 5
  if ! cmp -s "$from/package-lock.json" "$into/node_modules/installed.json"; then
    say "fetching $3"
    cp "$from/package.json" "$from/package-lock.json" "$into"
    # Node believes its own authorities only; behind a gateway the machine's are needed. npm itself comes by corepack: Debian's
    # package of npm brings some hundred others. Nothing that is fetched runs at installation.
    (
      cd "$into"
      [[ -n ${NODE_EXTRA_CA_CERTS:-} || ! -e $certificates ]] || export NODE_EXTRA_CA_CERTS=$certificates
      export COREPACK_HOME=$into/corepack COREPACK_ENABLE_DOWNLOAD_PROMPT=0 npm_config_cache=$into/cache npm_config_update_notifier=false
      with_progress corepack "npm@$npm_version" ci --ignore-scripts --no-audit --no-fund
    )
    rm -rf "$into/cache"
    cp "$from/package-lock.json" "$into/node_modules/installed.json"
  fi
  exec 5<&-
}
