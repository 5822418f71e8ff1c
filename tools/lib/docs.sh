# tools/dev docs: the documentation site, by the MkDocs Material that tools/docs/requirements.txt pins. Sourced, never run.

prepare_docs() { install_requirements "$checkout/tools/docs/requirements.txt" "$checkout/build/mkdocs" MkDocs; }

# command_docs [--pictures]: builds the site into build/site; with --pictures, the pictures of the portal's page into build/site/page too.
command_docs() {
  prepare_docs
  build_site "$checkout" "$checkout/build/site-source" "$checkout/build/site" || die "the documentation site has faults"
  log "the documentation site, in build/site: open build/site/index.html"
  [[ ${1:-} != --pictures ]] || take_pictures "$checkout/build/site/page"
}

# take_pictures DIRECTORY: takes pictures of every view of the page, for a reviewer to look at.
take_pictures() {
  prepare_browser
  build release portail
  TEST_PROGRAM=$checkout/build/native/portail TEST_PAGE_TOOLS=$checkout/build/browser \
    run node "$checkout/tests/page/pictures.mjs" "$1" || die "the pictures of the page are incomplete"
  log "every view of the page: open ${1#"$checkout/"}/index.html"
}

# build_site CHECKOUT SOURCE SITE: builds the site of the pages in CHECKOUT into SITE; SOURCE is the directory for what MkDocs reads.
# Prints the faults and fails if there are any.
build_site() {
  log "building the documentation site"
  run python3 -B "$1/tools/docs/site_source.py" "$1" "$2" || return 1
  run env DISABLE_MKDOCS_2_WARNING=true "$checkout/build/mkdocs/bin/mkdocs" build --strict --clean \
    --config-file "$2/mkdocs.yml" --site-dir "$3" &>"$2/mkdocs.log" || {
    grep -v '^INFO' "$2/mkdocs.log" >&2
    return 1
  }
}
