# The Debian package of the CMake package portail, for programs that embed the core.
include("@PROJECT_BINARY_DIR@/CPackConfig.cmake")
set(CPACK_PACKAGE_NAME libportail-dev)
set(CPACK_COMPONENTS_ALL library library_package)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Customer portal API as a C++ library")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"The core of portail as static libraries with headers, a CMake package and two
examples. The recommended packages are for the components stores and keys.")
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)  # there are no programs in it
set(CPACK_DEBIAN_PACKAGE_DEPENDS
  "pkgconf, libsodium-dev, libsimdjson-dev (>= 3.12), libbearssl-dev, zlib1g-dev, libssl-dev (>= 3)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "liblmdb-dev, libhiredis-dev (>= 1.2), libpq-dev (>= 17), libsqlite3-dev, libcurl4-openssl-dev, libzstd-dev")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "")
