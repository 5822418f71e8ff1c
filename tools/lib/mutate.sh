# tools/dev mutate. Sourced, never run.

# command_mutate [AREA] [--seconds N] [--seed N]: see tools/mutate/run; for page and wasm/package, tools/mutate/typescript.
command_mutate() {
  case ${1:-} in
    page | wasm/package) mutate_typescript "$@" ;;
    *)
      prepare_page
      exec python3 -B tools/mutate/run "$@"
      ;;
  esac
}

# Stryker is pinned by tools/mutate/stryker/package-lock.json, in build/stryker.
mutate_typescript() {
  install_locked "$checkout/tools/mutate/stryker" "$checkout/build/stryker" "Stryker"
  prepare_page
  if [[ $1 == wasm/package ]]; then
    build release portail
    build wasm
    prepare_package
    build_npm_package
  fi
  exec python3 -B tools/mutate/typescript "$@"
}
