# All libraries of this project are found in this file.
# Native builds use Debian's packages; WebAssembly builds use upstream sources (cmake/wasm_dependencies.cmake).
#   portail::simdjson  portail::sodium  portail::bearssl  portail::zlib               the core
#   portail::libcurl  portail::lmdb  portail::hiredis  portail::libpq  portail::sqlite  portail::zlib  portail::zstd  native
#   OpenSSL::SSL       CLI11::CLI11   portail::prometheus                             native
#   portail::tomlplusplus (header only)                                            native
#   portail::opentelemetry  the module of native/telemetry/otlp
#   GTest::gmock_main  picojson (header only)       tests
if(CMAKE_SYSTEM_NAME MATCHES "WASI|Emscripten")
  include(wasm_dependencies)
  return()
endif()

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

pkg_check_modules(sodium REQUIRED IMPORTED_TARGET GLOBAL libsodium>=1.0.18)
add_library(portail::sodium ALIAS PkgConfig::sodium)
pkg_check_modules(simdjson REQUIRED IMPORTED_TARGET GLOBAL simdjson>=3.12)
add_library(portail::simdjson ALIAS PkgConfig::simdjson)
# BearSSL has no version macro and no pkg-config file.
find_path(bearssl_headers bearssl.h REQUIRED)
find_library(bearssl_library bearssl REQUIRED)
add_library(portail::bearssl UNKNOWN IMPORTED GLOBAL)
set_target_properties(portail::bearssl PROPERTIES
  IMPORTED_LOCATION "${bearssl_library}" INTERFACE_INCLUDE_DIRECTORIES "${bearssl_headers}")

pkg_check_modules(zlib REQUIRED IMPORTED_TARGET GLOBAL zlib)
add_library(portail::zlib ALIAS PkgConfig::zlib)

if(PORTAIL_NATIVE)
  find_package(OpenSSL 3 REQUIRED GLOBAL)
  pkg_check_modules(lmdb REQUIRED IMPORTED_TARGET GLOBAL lmdb>=0.9.31)
  add_library(portail::lmdb ALIAS PkgConfig::lmdb)
  pkg_check_modules(hiredis REQUIRED IMPORTED_TARGET GLOBAL hiredis>=1.2)
  add_library(portail::hiredis ALIAS PkgConfig::hiredis)
  # 17 is the first version that cancels a statement asynchronously.
  pkg_check_modules(libpq REQUIRED IMPORTED_TARGET GLOBAL libpq>=17)
  add_library(portail::libpq ALIAS PkgConfig::libpq)
  # 3.24 is the first version with upserts.
  pkg_check_modules(sqlite REQUIRED IMPORTED_TARGET GLOBAL sqlite3>=3.24)
  add_library(portail::sqlite ALIAS PkgConfig::sqlite)
  # 7.87 is the first version whose transfers end without waiting for a lookup (CURLOPT_QUICK_EXIT).
  pkg_check_modules(libcurl REQUIRED IMPORTED_TARGET GLOBAL libcurl>=7.87)
  add_library(portail::libcurl ALIAS PkgConfig::libcurl)
  foreach(file IN LISTS libcurl_LINK_LIBRARIES)
    file(REAL_PATH "${file}" file)
    if(file MATCHES "gnutls")
      message(FATAL_ERROR "libcurl must use OpenSSL, not GnuTLS (${file}): on Debian, install libcurl4-openssl-dev")
    endif()
  endforeach()
  # Compressed answers.
  pkg_check_modules(zstd REQUIRED IMPORTED_TARGET GLOBAL libzstd>=1.4)
  add_library(portail::zstd ALIAS PkgConfig::zstd)
endif()
if(PORTAIL_NATIVE AND PORTAIL_PROGRAM)
  pkg_check_modules(prometheus REQUIRED IMPORTED_TARGET GLOBAL prometheus-cpp-core>=1.0)
  add_library(portail::prometheus ALIAS PkgConfig::prometheus)
  find_package(CLI11 2.4 REQUIRED)
  pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET GLOBAL tomlplusplus>=3.4)
  add_library(portail::tomlplusplus ALIAS PkgConfig::tomlplusplus)
endif()
if(PORTAIL_OTLP)
  # Debian's development package has no usable description: CMake's requires gRPC and Protobuf, whose headers the exporter does not include,
  # and pkg-config's lacks its own headers. The library is built with Abseil's variant.
  find_path(opentelemetry_headers opentelemetry/exporters/otlp/otlp_http_exporter_factory.h REQUIRED)
  add_library(portail::opentelemetry INTERFACE IMPORTED)
  target_include_directories(portail::opentelemetry INTERFACE "${opentelemetry_headers}")
  target_compile_definitions(portail::opentelemetry INTERFACE HAVE_ABSEIL OPENTELEMETRY_ABI_VERSION_NO=1)
  foreach(library opentelemetry_exporter_otlp_http opentelemetry_trace opentelemetry_resources opentelemetry_common absl_bad_variant_access)
    find_library(${library}_library ${library} REQUIRED)
    target_link_libraries(portail::opentelemetry INTERFACE "${${library}_library}")
  endforeach()
endif()

if(PORTAIL_TESTS)
  find_package(GTest 1.16 REQUIRED)
endif()
if(PORTAIL_BENCHMARKS)
  find_package(benchmark 1.9 REQUIRED)
endif()
