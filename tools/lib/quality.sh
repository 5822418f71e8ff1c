# tools/dev format and lint. Sourced, never run.

source_folders=(core edge native page tests tools wasm)

sources() {
  local folders=()
  for folder in "${source_folders[@]}"; do
    [[ ! -d $folder ]] || folders+=("$folder")
  done
  find "${folders[@]}" -type f \( -name '*.cpp' -o -name '*.hpp' \) -print0 | sort -z
}

# tools/dev format [--check]: C++ and Go; each formatter uses the configuration in the directories of its files.
command_format() {
  local clang=(-i) go=-w
  if [[ ${1:-} == --check ]]; then clang=(--dry-run --Werror) go=-d; fi
  sources | run xargs -0 -r -n 16 -P "$(nproc)" clang-format-19 "${clang[@]}"
  # gofmt fails only if it cannot parse a file; a difference does not change its exit status.
  expect_no_output "not formatted as gofmt does it:" sources_named '*.go' gofmt "$go" || return 1
  sources_named '*.go' gofmt -l >/dev/null
}

# sources_named PATTERN COMMAND...: runs the command with all source files whose names match.
sources_named() { find "${source_folders[@]}" -type f -name "$1" -print0 | run xargs -0 -r "${@:2}"; }

# The rules that need nothing but the files.
check_sources() {
  local faults=0 check
  for check in check_text check_words check_commits check_spelling check_layers check_core check_headers check_terminal; do "$check" || faults=1; done
  return "$faults"
}

command_lint() {
  local faults=0 lines_on_failure=1000
  check_sources || faults=1
  export TEST_LINT_CACHE
  TEST_LINT_CACHE=$(cache_directory lint)
  tools/lib/clang_tidy_once.py --evict 30 "$TEST_LINT_CACHE"
  # Files that are compiled only for components or the plain module are checked with their compile commands.
  prepare_edge
  run_clang_tidy clang '(core|native|page|tools)/.*' || faults=1
  run_clang_tidy wasi 'edge/.*[.]cpp' || faults=1
  run_clang_tidy emscripten 'wasm/module/.*' -extra-arg=--target=wasm32-unknown-emscripten \
    -extra-arg=--sysroot=/usr/share/emscripten/cache/sysroot || faults=1
  ((faults == 0)) || die "lint found faults"
  log "lint found nothing"
}

# run_clang_tidy PRESET FILES [arguments]: runs clang-tidy on the files of the preset that match FILES, a regular expression; each file by
# itself, so that it must include what it uses. Unchanged files in which it found nothing are skipped.
run_clang_tidy() {
  log "clang-tidy ($1)"
  configure_arguments=(-B "build/lint/$1" -DCMAKE_UNITY_BUILD=OFF)
  configure "$1" || return 1
  with_progress env PYTHONUNBUFFERED=1 run-clang-tidy-19 -quiet \
    -clang-tidy-binary "$checkout/tools/lib/clang_tidy_once.py" -p "build/lint/$1" -j "$(nproc)" "${@:3}" "$checkout/$2"
}

# expect_no_output TEXT COMMAND...: prints TEXT and fails if the command prints anything.
expect_no_output() {
  local output
  output=$("${@:2}" | cut -c1-160) || true
  [[ -n $output ]] || return 0
  log "$1"
  printf '%s\n' "$output" >&2
  return 1
}

# No file names a package host or a directory of one machine, and no line ends with a carriage return.
check_text() {
  local status=0 files
  mapfile -d '' files < <(find . \( -path ./build -o -path ./.root -o -path ./.portail -o -path ./.git -o -path ./tools/fuzz/corpus \) -prune -o \
    -type f \( -name '*.?pp' -o -name '*.cmake' -o -name '*.txt' -o -name '*.md' -o -name '*.sh' -o -name '*.py' -o -name '*.json' \
    -o -path './tools/*' -o -path './.ci/*' \) -print0)
  expect_no_output "a package host must not be named:" \
    grep -nE 'https?://(deb|security|registry|index|static|files|proxy|repo)[.]' -- "${files[@]}" || status=1
  expect_no_output "a directory of one machine must not be named:" \
    grep -nE '(^|[^[:alnum:]_.}/])/(work|farm|root|home/[a-z]+)/[a-z]' -- "${files[@]}" || status=1
  expect_no_output "carriage returns:" grep -lI $'\r' -- "${files[@]}" || status=1
  return "$status"
}

# Words and phrases that docs/contributing/style.md replaces by others, where one pattern finds them and nothing else.
forbidden_words='whoever|whomever|(no|some|any|every)body|please|anew|afresh|likewise|at once|in clear|let go of|to be had|one too many|what ails|mend|pristine|seam'

check_words() {
  expect_no_output "docs/contributing/style.md has other words for:" grep -rnIiwE "$forbidden_words" . \
    --exclude-dir={build,.root,.portail,.git,node_modules,__pycache__,corpus} \
    --exclude={LICENSE,package-lock.json,Cargo.lock,go.sum,'*.svg','*.jsonl',style.md,quality.sh}
}

# The rule applies to the commits after this one.
first_commit=d12faf123fdb513479636ad5af3296ef8463e981

# The subjects of commits, except merges. A tree without .git, or a clone without that commit, has none to check.
check_commits() {
  local subjects status=0
  # The checkout may belong to another user, as in a private root.
  if [[ ! -e .git ]] || ! subjects=$(git -c safe.directory='*' log --no-merges --format='%h %s' "$first_commit..HEAD" 2>/dev/null); then
    echo "skipped (lint): commit subjects: no repository with its history, or no git"
    return 0
  fi
  expect_no_output "a commit subject must have at most 72 characters:" grep -E '^[^ ]+ .{73}' <<<"$subjects" || status=1
  expect_no_output "a commit subject must be \`area: imperative summary\`:" \
    grep -vE '^[^ ]+ [a-z0-9][[:alnum:]_./, -]*: [^ ]' <<<"$subjects" || status=1
  return "$status"
}

check_spelling() {
  run codespell --config tools/lint/codespell.cfg . && return
  log "the words above are misspelt; tools/lint/codespell.cfg has the exceptions"
  return 1
}

# Prints which directory includes which, and fails if that differs from tools/lint/layers.txt.
check_layers() {
  run python3 -B tools/lint/layers.py --print && return
  log "the includes above are not those of tools/lint/layers.txt"
  return 1
}

# The core is portable and sans-I/O.
check_core() {
  local status=0
  expect_no_output "the core must not use:" grep -rnE --include='*.?pp' \
    '^[^"/]*(\bthrow |\btry \{|\bcatch \(|thread_local|std::(regex|format|filesystem|thread)|getenv\(|system_clock::now)' core || status=1
  expect_no_output "the core must not include:" grep -rnE --include='*.?pp' \
    '#include <(iostream|regex|format|filesystem|thread|fstream)>' core || status=1
  expect_no_output "only core/storage/folder may use files:" grep -rnE --include='*.?pp' --exclude-dir=folder \
    '#include <(fcntl|unistd|dirent|poll|sys/[a-z]+|netinet/[a-z]+)[.]h>' core || status=1
  return "$status"
}

# Output for the terminal is printed by native/system/terminal.hpp, which escapes control characters.
check_terminal() {
  expect_no_output "output must be printed by native/system/terminal.hpp:" grep -rnE --include='*.?pp' --exclude=terminal.cpp --exclude-dir=examples \
    '\b(printf|fprintf|vprintf|dprintf|puts|fputs|putchar|perror)\(|std::(cout|cerr|clog|print|println)\b' native
}

# No header includes a heavy library, so that its users do not compile it, except those in this list. Tests share fixtures of googletest in
# headers.
check_headers() {
  local status=0 files exempt_headers=(core/json/simdjson_handle.hpp)
  mapfile -d '' files < <(find "${source_folders[@]}" -name '*.hpp' $(printf ' ! -path %s' "${exempt_headers[@]}") -print0)
  expect_no_output "a header must not include a heavy library:" \
    grep -nE '#include <(simdjson|httplib|curl/|CLI/|prometheus/|toml[+][+]/)' -- "${files[@]}" || status=1
  expect_no_output "a header outside tests must not include googletest:" \
    grep -nE '#include <(gtest|gmock)/' -- "${files[@]/tests\/*/\/dev\/null}" || status=1
  return "$status"
}
