# What the interface's description is tried with: Schemathesis and what it needs, as tests/description/requirements.txt pins them, in
# build/description. Sourced, never run.

prepare_description() {
  local from=$checkout/tests/description/requirements.txt folder=$checkout/build/description
  mkdir -p "$folder"
  # One fetcher at a time in a checkout.
  exec 5<"$folder"
  flock 5
  if ! cmp -s "$from" "$folder/fetched"; then
    say "fetching Schemathesis"
    python3 -m venv "$folder"
    with_progress "$folder/bin/pip" install --require-hashes --requirement "$from"
    cp "$from" "$folder/fetched"
  fi
  exec 5<&-
}
