# Python packages in virtual environments, only from files whose hashes are in the repository. Sourced, never run.

# pip_in DIRECTORY install|download REQUIREMENT HASH... [ARGUMENT...]: runs pip in a virtual environment there, for that one package. Files
# with other SHA-256 hashes are neither unpacked nor run.
pip_in() {
  local folder=$1 what=$2 requirement=$3
  shift 3
  python3 -m venv "$folder"
  while [[ ${1:-} =~ ^[0-9a-f]{64}$ ]]; do
    requirement+=" --hash=sha256:$1"
    shift
  done
  printf '%s\n' "$requirement" >"$folder/requirements.txt"
  download "$folder/bin/pip" "$what" --no-deps --require-hashes --requirement "$folder/requirements.txt" "$@"
}

# install_requirements FILE INTO WHAT: installs the packages that FILE pins in the virtual environment INTO, once for each such file. WHAT
# names them in messages.
install_requirements() {
  local from=$1 into=$2
  mkdir -p "$into"
  # Only one download at a time in a checkout.
  exec 5<"$into"
  flock 5
  if ! cmp -s "$from" "$into/fetched"; then
    kept_tree "$into" "$from" fetch_requirements "$from" "$into" "$3"
    cp "$from" "$into/fetched"
  fi
  exec 5<&-
}

fetch_requirements() {
  log "fetching $3"
  python3 -m venv "$2"
  download "$2/bin/pip" install --require-hashes --requirement "$1"
}
