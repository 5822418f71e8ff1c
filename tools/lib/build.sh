# Commands to configure, build, test and measure. Sourced, never run.

presets="release debug asan tsan clang fuzz package wasi emscripten edge wasm aarch64 s390x"

# split_preset ARGUMENTS...: sets preset to the first argument if it is one, else to release, and arguments to the others.
split_preset() {
  preset=release arguments=("$@")
  if (($# > 0)) && [[ " $presets " == *" $1 "* ]]; then
    preset=$1 arguments=("${@:2}")
  fi
}

configure_arguments=()

# configure PRESET: prints CMake's output only if it fails. All roots, which have each checkout at one path, share the objects of ccache.
configure() {
  local arguments=("${configure_arguments[@]}")
  [[ $1 == wasi || $1 == emscripten || $1 == s390x ]] || prepare_page
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$checkout CCACHE_NOHASHDIR=true CCACHE_COMPILERCHECK=content CCACHE_UMASK=000
  CCACHE_DIR=$(cache_directory ccache) && export CCACHE_DIR
  # Serving does not need the tests, nor the module that sends spans.
  if [[ $1 == release && -n $(missing_packages tests) ]]; then arguments+=(-DPORTAIL_TESTS=OFF -DPORTAIL_OTLP=OFF); fi
  run cmake --preset "$1" "${arguments[@]}" >build/configure.log || { cat build/configure.log >&2 && return 1; }
}

# build PRESET [targets or ninja arguments]. The presets edge and wasm use the objects of wasi and emscripten, but link the components and
# the plain module instead of the unit tests. The preset package is the program of release and its packaged files.
build() {
  local preset=$1 targets=() folder
  shift
  case $preset in
    tsan) targets=(portail stores native_units) ;; # the programs with threads
    wasi | emscripten) targets=("${TEST_ALL:+repeated_}test_programs") ;;
    s390x) targets=(test_programs) ;;
    aarch64) targets=(test_programs packaged_files) ;;
    package) preset=release targets=(portail packaged_files) ;;
    edge) preset=wasi targets=(components) ;;
    wasm) preset=emscripten targets=(plain_modules) ;;
  esac
  (($# > 0)) || set -- "${targets[@]}"
  folder=build/$preset
  case $preset in
    release) folder=build ;;
    wasi | emscripten) prepare_edge ;;
  esac
  # Only one build at a time in a checkout.
  mkdir -p build
  exec 7<build
  flock 7
  log "building ($preset)"
  configure "$preset" 7<&- || return 1
  # ninja itself, not `cmake --build`, since ninja forwards signals to its compilers.
  run ninja -C "$folder" "$@" 7<&- || return 1
  exec 7<&-
}

command_build() {
  split_preset "$@"
  build "$preset" "${arguments[@]}"
}

# command_check [AREA]: a quick test: builds only the programs of the area, and runs each as one process.
command_check() {
  local targets
  targets=$(check_targets "$@")
  # shellcheck disable=SC2086
  build release $targets
  # shellcheck disable=SC2086
  run_check_programs $targets
}

run_check_programs() {
  local target failed=()
  [[ " $* " != *" vectors "* ]] || prepare_vectors
  for target in "$@"; do
    run "build/$(program_of_check "$target")" --gtest_brief=1 || failed+=("$target")
  done
  ((${#failed[@]} == 0)) || { log "failed: ${failed[*]}" && return 1; }
}

# Without an area, the unit tests of the core.
check_targets() {
  local folder
  if (($# == 0)); then
    for folder in tests/unit/*/CMakeLists.txt; do
      folder=${folder%/*} && printf 'unit_%s\n' "${folder##*/}"
    done
  elif [[ -e tests/unit/$1/CMakeLists.txt ]]; then
    echo "unit_$1"
  else
    case $1 in
      native) echo native_units ;;
      attacks | simulation | stores | vectors) echo "$1" ;;
      *) die "unknown area: $1 ($(ls tests/unit | grep -v '[.]' | xargs), attacks, native, simulation, stores, vectors)" ;;
    esac
  fi
}

program_of_check() {
  case $1 in
    unit_*) echo "tests/unit/${1#unit_}/$1" ;;
    native_units) echo "tests/native/$1" ;;
    *) echo "tests/$1/$1" ;;
  esac
}

# command_soak [MINUTES] [SEED]: all loads concurrently, half of the time with the local stores, then with those in servers. Then histories
# for as long.
# command_soak --kills N [SEED]: repeated kill -9, also with stores in servers; `test` runs a short form.
# command_soak --histories [MINUTES] [SEED] [STORE...]: histories only.
command_soak() {
  local scheme minutes=10 kills= seed
  if [[ ${1:-} == --histories ]]; then
    record_histories "${2:-$minutes}" "${3:-$RANDOM}" "${@:4}"
    return
  fi
  if [[ ${1:-} == --kills ]]; then
    kills=${2:?the number of kills is missing}
    shift
  fi
  minutes=${1:-$minutes} seed=${2:-$RANDOM}
  build release portail
  if [[ -n $kills ]]; then
    for scheme in lmdb dir postgres redis; do
      log "soaking ($scheme): $kills kills, seed $seed"
      run env TEST_PROGRAM=build/native/portail python3 -B tests/kill/kill_test.py --kills "$kills" --seed "$seed" --scheme "$scheme" --bundles 12000
    done
  else
    soak_together lmdb dir
    soak_together postgres redis
    record_histories "$minutes" "$seed"
  fi
}

# soak_together SCHEMES...: uses minutes and seed of command_soak.
soak_together() {
  local scheme process processes=() failed=0
  log "soaking ($*): half of $minutes minutes, seed $seed"
  for scheme in "$@"; do
    run env TEST_PROGRAM=build/native/portail python3 -B tests/soak/soak.py --minutes "$(awk "BEGIN { print $minutes / 2 }")" --seed "$seed" --scheme "$scheme" &
    processes+=($!)
  done
  for process in "${processes[@]}"; do wait "$process" || failed=1; done
  return "$failed"
}

# Without arguments, what tests/later.txt does not leave out. With TEST_FULL, that too. Else the tests of one preset.
command_test() {
  if (($# == 0)); then
    if [[ -n ${TEST_FULL:-} ]]; then full_test; else landing_test; fi
    return
  fi
  split_preset "$@"
  case $preset in
    release | debug | clang) prepare_native_tests ;;
    asan) build release portail_contract ;;
    edge)
      command_edge --test "${arguments[@]}"
      return
      ;;
    package)
      command_package --test "${arguments[@]}"
      return
      ;;
  esac
  build "$preset"
  run_tests "$preset" "${arguments[@]}"
}

prepare_native_tests() {
  prepare_browser
  [[ -n ${TEST_FULL:-} ]] || return 0
  prepare_full
  prepare_docs
  prepare_histories
}

prepare_full() {
  prepare_provider
  prepare_abp
  prepare_description
  prepare_clients
}

# Everything is built first, so that nothing runs beside a test that waits.
landing_test() {
  prepare_native_tests
  build release
  # shellcheck disable=SC2086
  build edge $landing_components
  build wasm
  prepare_package
  build_npm_package
  run_tests "release edge wasm"
}

# Packages are last, because they replace the npm package that the module's tests run.
full_test() {
  local failed=0
  prepare_native_tests
  build wasi
  build emscripten
  build release
  build edge
  prepare_viceroy
  build_module
  run_tests "release wasi edge emscripten wasm" || failed=1
  run tools/dev package --test || failed=1
  return "$failed"
}

command_bench() {
  case ${1:-} in
    core | growth)
      configure_arguments=(-DPORTAIL_BENCHMARKS=ON)
      build release
      ;;
    "" | --* | server | edge | node | spin | fastly)
      build release portail
      build edge
      prepare_viceroy
      build wasm
      prepare_package
      build_npm_package
      install_locked "$checkout/tools/bench/fastify" "$checkout/build/bench/fastify" "Fastify and fast-jwt"
      ;;
  esac
  exec tools/bench/run "$@"
}
