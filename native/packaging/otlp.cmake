# The Debian package of the module that sends spans, separate from the program's, because its libraries are larger than the program.
include("@PROJECT_BINARY_DIR@/CPackConfig.cmake")
set(CPACK_PACKAGE_NAME portail-otlp)
set(CPACK_COMPONENTS_ALL otlp)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Spans of a customer portal's requests")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Sends spans of the portal's requests to an OpenTelemetry collector, by OTLP
over HTTP: a module that portail serve --otlp loads.")
# OpenTelemetry's library names have no version, so dpkg cannot derive the dependencies.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "portail (= @PROJECT_VERSION@-1), opentelemetry-cpp (>= 1.19), opentelemetry-cpp (<< 1.20), libcurl4t64 (>= 7.85)")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "")
