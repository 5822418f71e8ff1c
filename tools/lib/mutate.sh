# tools/dev mutate. Sourced, never run.

# command_mutate [AREA] [--seconds N] [--seed N]: see tools/mutate/run.
command_mutate() {
  exec python3 -B tools/mutate/run "$@"
}
