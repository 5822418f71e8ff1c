# Runs at installation: renders the installed pages.
execute_process(COMMAND python3 -B "${CMAKE_CURRENT_LIST_DIR}/../../tools/docs/package_pages.py"
  "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/doc/portail"
  docs=docs ARCHITECTURE.md=ARCHITECTURE.md CHANGELOG.md=CHANGELOG.md README.md=README.md SECURITY.md=SECURITY.md
  fixtures=examples native/nginx=examples/nginx native/monitoring=examples/monitoring native/scheduling=examples/scheduling
  COMMAND_ERROR_IS_FATAL ANY)
