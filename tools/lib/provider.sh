# The identity provider that the tests try the portal with: oidc-provider and what it needs, as tests/provider/package-lock.json pins
# them, from the npm registry that the machine's clients use. Sourced, never run.

npm_version=10.9.2

# Into build/provider, once for each lock file.
prepare_provider() {
  local folder=$checkout/build/provider certificates=/etc/ssl/certs/ca-certificates.crt
  mkdir -p "$folder"
  # One fetcher at a time in a checkout.
  exec 5<"$folder"
  flock 5
  if ! cmp -s tests/provider/package-lock.json "$folder/node_modules/installed.json"; then
    say "fetching oidc-provider"
    cp tests/provider/package.json tests/provider/package-lock.json "$folder"
    # Node believes its own authorities only; behind a gateway the machine's are needed. npm itself comes by corepack: Debian's
    # package of npm brings some hundred others. Nothing that is fetched runs at installation.
    (
      cd "$folder"
      [[ -n ${NODE_EXTRA_CA_CERTS:-} || ! -e $certificates ]] || export NODE_EXTRA_CA_CERTS=$certificates
      export COREPACK_HOME=$folder/corepack COREPACK_ENABLE_DOWNLOAD_PROMPT=0 npm_config_cache=$folder/cache
      with_progress corepack "npm@$npm_version" ci --ignore-scripts --no-audit --no-fund
    )
    rm -rf "$folder/cache"
    cp tests/provider/package-lock.json "$folder/node_modules/installed.json"
  fi
  exec 5<&-
}
