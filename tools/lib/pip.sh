# Packages of Python, in virtual environments, only from files of hashes that stand in the repository. Sourced, never run.

# pip_in FOLDER install|download REQUIREMENT HASH... [ARGUMENT...]: pip, in a virtual environment there, with that one package and only
# from a file of one of these SHA-256 hashes; a file of another is neither unpacked nor run.
pip_in() {
  local folder=$1 what=$2 requirement=$3
  shift 3
  python3 -m venv "$folder"
  while [[ ${1:-} =~ ^[0-9a-f]{64}$ ]]; do
    requirement+=" --hash=sha256:$1"
    shift
  done
  printf '%s\n' "$requirement" >"$folder/requirements.txt"
  with_progress "$folder/bin/pip" "$what" --no-deps --require-hashes --requirement "$folder/requirements.txt" "$@"
}

# install_requirements FILE INTO WHAT: what FILE pins, in the virtual environment INTO; once for each such file. WHAT is for people.
install_requirements() {
  local from=$1 into=$2
  mkdir -p "$into"
  # One fetcher at a time in a checkout.
  exec 5<"$into"
  flock 5
  if ! cmp -s "$from" "$into/fetched"; then
    say "fetching $3"
    python3 -m venv "$into"
    with_progress "$into/bin/pip" install --require-hashes --requirement "$from"
    cp "$from" "$into/fetched"
  fi
  exec 5<&-
}
