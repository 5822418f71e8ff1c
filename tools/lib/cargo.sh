# cargo, from the registry that the machine's clients use. Sourced, never run.

# cargo_in DIRECTORY ARGUMENTS...: runs cargo with the machine's configuration; what it fetches is kept in DIRECTORY/fetched.
cargo_in() {
  local folder=$1 configuration=${CARGO_HOME:-$HOME/.cargo}/config.toml
  shift
  mkdir -p "$folder/fetched"
  [[ ! -e $configuration ]] || cp "$configuration" "$folder/fetched"
  CARGO_HOME=$folder/fetched download cargo "$@"
}
