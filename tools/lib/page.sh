# The portal's page. Sourced, never run.

# What it is made with and of: esbuild, Preact and others, as core/page/package-lock.json pins them, in build/page.
prepare_page() { install_locked "$checkout/core/page" "$checkout/build/page" "what makes the page"; }

# What it is tried with, beside Debian's chromium: playwright-core and axe-core, as tests/page/package-lock.json pins them, in
# build/browser.
prepare_browser() { install_locked "$checkout/tests/page" "$checkout/build/browser" "playwright-core and axe-core"; }
