# The portal's page. Sourced, never run.

# The build dependencies of the page: esbuild, Preact and others, pinned by page/package-lock.json, in build/page.
prepare_page() { install_locked "$checkout/page" "$checkout/build/page" "the tools of the page"; }

# The test dependencies in addition to Debian's chromium: playwright-core and axe-core, pinned by tests/page/package-lock.json, in
# build/browser.
prepare_browser() { install_locked "$checkout/tests/page" "$checkout/build/browser" "playwright-core and axe-core"; }
