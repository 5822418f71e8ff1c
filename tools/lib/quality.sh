# tools/dev format and lint. Sourced, never run.

source_folders=(core edge native tests tools wasm)

sources() {
  local folders=()
  for folder in "${source_folders[@]}"; do
    [[ ! -d $folder ]] || folders+=("$folder")
  done
  # What wit-bindgen wrote is not ours to format.
  find "${folders[@]}" -path edge/bindings -prune -o -type f \( -name '*.cpp' -o -name '*.hpp' -o -path 'wasm/examples/*.[ch]' \) -print0 | sort -z
}

# tools/dev format [--check]: C++ and the C of an example, Go, Rust; each formatter as its files' folder configures it.
command_format() {
  local clang=(-i) go=-w rust=()
  if [[ ${1:-} == --check ]]; then clang=(--dry-run --Werror) go=-d rust=(--check); fi
  sources | run xargs -0 -r -n 16 -P "$(nproc)" clang-format-19 "${clang[@]}"
  # gofmt fails only if it cannot parse a file; a difference does not change its exit status.
  must_be_none "gofmt would have it otherwise:" sources_named '*.go' gofmt "$go" || return 1
  sources_named '*.go' gofmt -l >/dev/null || return 1
  sources_named '*.rs' rustfmt --edition 2024 "${rust[@]}"
}

# sources_named PATTERN COMMAND...: the command with all source files whose names match.
sources_named() { find "${source_folders[@]}" -type f -name "$1" -print0 | run xargs -0 -r "${@:2}"; }

command_lint() {
  local faults=0 lines_on_failure=1000
  check_text || faults=1
  check_prose || faults=1
  check_spelling || faults=1
  check_core || faults=1
  check_headers || faults=1
  check_terminal || faults=1
  # Remembered in the build folder for the next time, or where PORTAIL_LINT_KEPT names one: .ci/run's, whose checkout goes with the run.
  export PORTAIL_LINT_KEPT=${PORTAIL_LINT_KEPT:-$checkout/build/lint/kept}
  mkdir -p "$PORTAIL_LINT_KEPT"
  tools/lib/clang_tidy_once.py --forget 30 "$PORTAIL_LINT_KEPT"
  # What is compiled for components only, or for the plain module only, is read as it is compiled there.
  prepare_edge
  tidy clang '(core|native|tools)/.*' || faults=1
  tidy wasi 'edge/(?!bindings/).*[.]cpp' || faults=1
  tidy emscripten 'wasm/module/.*' -extra-arg=--target=wasm32-unknown-emscripten \
    -extra-arg=--sysroot=/usr/share/emscripten/cache/sysroot || faults=1
  ((faults == 0)) || die "lint found faults"
  say "lint found nothing"
}

# tidy PRESET FILES [arguments]: clang-tidy over what the preset compiles of these, a regular expression; each file by itself, so that
# each includes what it uses. A file in which it found nothing is not read again until something of it has changed.
tidy() {
  say "clang-tidy ($1)"
  configure_arguments=(-B "build/lint/$1" -DCMAKE_UNITY_BUILD=OFF)
  configure "$1" || return 1
  with_progress env PYTHONUNBUFFERED=1 run-clang-tidy-19 -quiet \
    -clang-tidy-binary "$checkout/tools/lib/clang_tidy_once.py" -p "build/lint/$1" -j "$(nproc)" "${@:3}" "$checkout/$2"
}

# must_be_none TEXT COMMAND...: says TEXT and fails where the command prints anything.
must_be_none() {
  local places
  places=$("${@:2}" | cut -c1-160) || true
  [[ -n $places ]] || return 0
  say "$1"
  printf '%s\n' "$places" >&2
  return 1
}

# The tree names no package host and no folder of one machine, and its lines end as they should.
check_text() {
  local status=0 files
  mapfile -d '' files < <(find . \( -path ./build -o -path ./.root -o -path ./.portail -o -path ./.git -o -path ./tools/fuzz/corpus \) -prune -o \
    -type f \( -name '*.?pp' -o -name '*.cmake' -o -name '*.txt' -o -name '*.md' -o -name '*.sh' -o -name '*.py' -o -name '*.json' \
    -o -path './tools/*' -o -path './.ci/*' \) -print0)
  must_be_none "a package host is named:" \
    grep -nE 'https?://(deb|security|registry|index|static|files|proxy|repo)[.]' -- "${files[@]}" || status=1
  must_be_none "a folder of one machine is named:" \
    grep -nE '(^|[^[:alnum:]_.}/])/(work|farm|root|home/[a-z]+)/[a-z]' -- "${files[@]}" || status=1
  must_be_none "carriage returns:" grep -lI $'\r' -- "${files[@]}" || status=1
  return "$status"
}

# The style guide's rules for words, sentences, messages and commit subjects; exceptions are in tools/lint/prose_exceptions.txt.
check_prose() {
  run python3 -B tools/lint/prose.py && return
  say "the prose above breaks the style guide"
  return 1
}

check_spelling() {
  run codespell --config tools/lint/codespell.cfg . && return
  say "the words above are misspelt; tools/lint/codespell.cfg has the exceptions"
  return 1
}

# The core is portable and sans-I/O, and each of its folders uses only those before it.
check_core() {
  local status=0 later=(files guest api exchange portal storage auth crypto http json base) folder pattern=
  must_be_none "the core uses what it must do without:" grep -rnE --include='*.?pp' \
    '^[^"/]*(\bthrow |\btry \{|\bcatch \(|thread_local|std::(regex|format|filesystem|thread)|getenv\(|system_clock::now)' core || status=1
  must_be_none "the core includes what it must do without:" grep -rnE --include='*.?pp' \
    '#include <(iostream|regex|format|filesystem|thread|fstream)>' core || status=1
  must_be_none "the core uses files elsewhere than in core/files:" grep -rnE --include='*.?pp' --exclude-dir=files \
    '#include <(fcntl|unistd|dirent|poll|sys/[a-z]+|netinet/[a-z]+)[.]h>' core || status=1
  must_be_none "core/files knows more than the store's port:" \
    grep -rnE --include='*.?pp' '#include "core/(guest|api|exchange|portal|auth|http|json)/' core/files || status=1
  must_be_none "the core includes a host:" grep -rnE --include='*.?pp' '#include "(native|edge|wasm|tests|tools)/' core || status=1
  for folder in "${later[@]}"; do
    if [[ -n $pattern ]]; then
      must_be_none "core/$folder includes a folder that comes after it:" \
        grep -rnE --include='*.?pp' "#include \"core/($pattern)/" "core/$folder" || status=1
    fi
    pattern+=${pattern:+|}$folder
  done
  return "$status"
}

# Lines to people go out by native/host/terminal.hpp, which makes them safe for a terminal.
check_terminal() {
  must_be_none "a line to people goes past native/host/terminal.hpp:" grep -rnE --include='*.?pp' --exclude=terminal.cpp \
    '\b(printf|fprintf|vprintf|dprintf|puts|fputs|putchar|perror)\(|std::(cout|cerr|clog|print|println)\b' native
}

# A header hands no heavy library on to those who do not use it: what includes one is a source file, or in this list. Tests share
# fixtures of googletest in headers.
check_headers() {
  local status=0 files handed_on=(core/json/simdjson_handle.hpp)
  mapfile -d '' files < <(find "${source_folders[@]}" -name '*.hpp' $(printf ' ! -path %s' "${handed_on[@]}") -print0)
  must_be_none "a header hands a heavy library on:" \
    grep -nE '#include <(simdjson|httplib|CLI/|prometheus/|toml[+][+]/)' -- "${files[@]}" || status=1
  must_be_none "a header outside tests hands googletest on:" \
    grep -nE '#include <(gtest|gmock)/' -- "${files[@]/tests\/*/\/dev\/null}" || status=1
  return "$status"
}
