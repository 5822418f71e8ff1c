# Configure, build, test, measure. Sourced, never run.

presets="release debug asan tsan clang fuzz wasi emscripten edge wasm"

# split_preset ARGUMENTS...: sets preset (release where the first argument names none) and arguments, the rest.
split_preset() {
  preset=release arguments=("$@")
  if (($# > 0)) && [[ " $presets " == *" $1 "* ]]; then
    preset=$1 arguments=("${@:2}")
  fi
}

configure_arguments=()

# configure PRESET: what it says is for who must mend it. Objects are taken from ccache where the machine has it.
configure() {
  if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
  run cmake --preset "$1" "${configure_arguments[@]}" >build/configure.log || { cat build/configure.log >&2 && return 1; }
}

# build PRESET [targets or ninja arguments]
build() {
  local preset=$1 folder=build/$1
  shift
  [[ $preset != release ]] || folder=build
  # The thread sanitizer looks at what has threads.
  if [[ $preset == tsan ]] && (($# == 0)); then set -- portail stores native_units; fi
  case $preset in
    wasi | emscripten) prepare_wasm ;;
    edge | wasm) prepare_edge ;;
  esac
  # One build at a time in a checkout.
  mkdir -p build
  exec 7<build
  flock 7
  say "building ($preset)"
  configure "$preset" 7<&- || return 1
  # ninja itself, not `cmake --build`: a signal reaches it, and it ends its compilers.
  run ninja -C "$folder" "$@" 7<&-
  exec 7<&-
}

command_build() {
  split_preset "$@"
  build "$preset" "${arguments[@]}"
}

# Without arguments everything that there is to test: natively, and as WebAssembly. Otherwise one preset, release if none is named.
command_test() {
  (($# > 0)) || test_everything
  split_preset "$@"
  case $preset in
    release | debug | clang) prepare_provider ;;
    edge)
      command_edge --test "${arguments[@]}"
      return
      ;;
  esac
  build "$preset"
  run_tests "$preset" "${arguments[@]}"
}

# All parts are run, whichever fail, and each is a process of its own. The module's comes first: what it builds for WASI, the native
# tests of stores run beside native programs.
test_everything() {
  local part failed=()
  for part in wasm "test release" "edge --test"; do
    # shellcheck disable=SC2086
    tools/dev $part || failed+=("tools/dev $part")
  done
  ((${#failed[@]} == 0)) || die "failed: $(printf '%s; ' "${failed[@]}")"
  say "everything passed"
  exit 0
}

command_bench() {
  case ${1:-} in
    hosts)
      build release portail
      make_module
      ;;
    edge)
      configure_arguments=(-DPORTAIL_BENCHMARKS=ON)
      build edge
      build release portail
      ;;
    *)
      configure_arguments=(-DPORTAIL_BENCHMARKS=ON)
      build release
      ;;
  esac
  exec tools/bench/run "$@"
}
