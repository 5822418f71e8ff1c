# tools/dev quick: what takes less than a minute before a commit. Sourced, never run.

# The tests that only read files of the checkout, and compare the generated pages with them.
quick_tests='^(documents\.(checklist|citations|management|marks|reference|schemas|settings)|tools\..*)$'

command_quick() {
  local failed=() targets
  # By itself, since a function whose status is tested does not end at its first failed command.
  run tools/dev format --check || failed+=(format)
  check_sources || failed+=("the rules of lint")
  mapfile -t targets < <(changed_modules)
  # The generated pages are made from what these programs print.
  build release portail description_rows setting_rows metric_rows "${targets[@]}" || die "failed: build"
  run_tests release --tests-regex "$quick_tests" || failed+=("the documents and generated pages")
  run_check_programs "${targets[@]}" || failed+=("unit tests")
  ((${#failed[@]} == 0)) || die "failed: $(printf '%s; ' "${failed[@]}")"
  log "quick found nothing; unit tests of: ${targets[*]:-no module, since none has changed}"
}

# Prints the targets of the unit tests of the modules that differ from the upstream branch, or from the last commit if it has none.
changed_modules() {
  local landed module
  git rev-parse --git-dir >/dev/null 2>&1 || return 0
  landed=$(git rev-parse --verify --quiet '@{upstream}') || landed=HEAD
  {
    git diff --name-only "$landed"
    git ls-files --others --exclude-standard
  } | sed -nE 's#^(core|tests/unit)/([a-z]+)/.*#\2#p; s#^(native|tests/native)/.*#native#p; s#^tests/(attacks|vectors|simulation)/.*#\1#p' |
    sort -u | while read -r module; do
    [[ $module != native && $module != attacks && $module != simulation && ! -e tests/unit/$module/CMakeLists.txt ]] || check_targets "$module"
  done
}
