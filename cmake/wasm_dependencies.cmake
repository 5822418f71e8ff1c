# The libraries of WebAssembly builds, from sources: tools/dev downloads the first four into build/sources (tools/lib/wasm.sh); googletest
# is Debian's source package.
#   portail::sodium  portail::bearssl  portail::simdjson  portail::zlib  GTest::gtest  GTest::gmock_main
set(portail_sources "${PROJECT_SOURCE_DIR}/build/sources")
set(portail_unpacked "${CMAKE_BINARY_DIR}/sources")

# Unpacks FILE once, after a check of its SHA-256.
function(portail_unpack file hash)
  set(mark "${portail_unpacked}/${file}.${hash}")
  if(EXISTS "${mark}")
    return()
  endif()
  if(NOT EXISTS "${portail_sources}/${file}")
    message(FATAL_ERROR "${portail_sources}/${file} is missing; `tools/dev wasm` downloads it")
  endif()
  file(SHA256 "${portail_sources}/${file}" found)
  if(NOT found STREQUAL hash)
    message(FATAL_ERROR "${portail_sources}/${file} is not the expected file: its SHA-256 is ${found}")
  endif()
  file(ARCHIVE_EXTRACT INPUT "${portail_sources}/${file}" DESTINATION "${portail_unpacked}")
  file(TOUCH "${mark}")
endfunction()

# A static library of third-party code, with system headers and without warnings.
function(portail_foreign_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;INCLUDES")
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} SYSTEM PUBLIC "$<BUILD_INTERFACE:${arg_INCLUDES}>")
  target_compile_options(${name} PRIVATE -w)
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
endfunction()

# libsodium: the sources for signatures, hashes and initialisation, in portable implementations.
portail_unpack(libsodium_1.0.18.orig.tar.gz d59323c6b712a1519a5daf710b68f5e7fde57040845ffec53850911f10a5d4f4)
set(sodium "${portail_unpacked}/libsodium-1.0.18/src/libsodium")
set(VERSION 1.0.18)
set(SODIUM_LIBRARY_VERSION_MAJOR 10)
set(SODIUM_LIBRARY_VERSION_MINOR 3)
configure_file("${sodium}/include/sodium/version.h.in" "${sodium}/include/sodium/version.h" @ONLY)
set(sodium_sources
  sodium/core.c sodium/runtime.c sodium/utils.c sodium/codecs.c sodium/version.c
  randombytes/randombytes.c randombytes/sysrandom/randombytes_sysrandom.c
  crypto_auth/hmacsha256/auth_hmacsha256.c
  crypto_core/ed25519/core_ed25519.c crypto_core/ed25519/ref10/ed25519_ref10.c
  crypto_core/hsalsa20/ref2/core_hsalsa20_ref2.c
  crypto_generichash/crypto_generichash.c crypto_generichash/blake2b/generichash_blake2.c
  crypto_generichash/blake2b/ref/blake2b-compress-ref.c crypto_generichash/blake2b/ref/blake2b-ref.c
  crypto_generichash/blake2b/ref/generichash_blake2b.c
  crypto_hash/sha256/hash_sha256.c crypto_hash/sha256/cp/hash_sha256_cp.c
  crypto_hash/sha512/hash_sha512.c crypto_hash/sha512/cp/hash_sha512_cp.c
  crypto_onetimeauth/poly1305/onetimeauth_poly1305.c crypto_onetimeauth/poly1305/donna/poly1305_donna.c
  crypto_pwhash/argon2/argon2-core.c crypto_pwhash/argon2/argon2-fill-block-ref.c crypto_pwhash/argon2/blake2b-long.c
  crypto_scalarmult/curve25519/scalarmult_curve25519.c crypto_scalarmult/curve25519/ref10/x25519_ref10.c
  crypto_sign/crypto_sign.c crypto_sign/ed25519/sign_ed25519.c
  crypto_sign/ed25519/ref10/keypair.c crypto_sign/ed25519/ref10/open.c crypto_sign/ed25519/ref10/sign.c
  crypto_stream/chacha20/stream_chacha20.c crypto_stream/chacha20/ref/chacha20_ref.c
  crypto_stream/salsa20/stream_salsa20.c crypto_stream/salsa20/ref/salsa20_ref.c
  crypto_verify/sodium/verify.c)
list(TRANSFORM sodium_sources PREPEND "${sodium}/")
portail_foreign_library(portail_sodium SOURCES ${sodium_sources} INCLUDES "${sodium}/include")
add_library(portail::sodium ALIAS portail_sodium)
target_include_directories(portail_sodium PRIVATE "${sodium}/include/sodium")
target_compile_definitions(portail_sodium PUBLIC SODIUM_STATIC PRIVATE CONFIGURED=1 NATIVE_LITTLE_ENDIAN=1)

# BearSSL: the sources for RSA and ECDSA with P-256, including key generation.
portail_unpack(bearssl_0.6+dfsg.1.orig.tar.xz 102a625bd8f6155260867a50c508df8d8c3f796985dd744df1a68e5cd1a79004)
set(bearssl "${portail_unpacked}/bearssl-0.6")
set(bearssl_sources
  codec/ccopy.c codec/dec32be.c codec/enc32be.c
  ec/ec_keygen.c ec/ec_p256_m31.c ec/ec_pubkey.c ec/ec_secp256r1.c ec/ec_secp384r1.c ec/ec_secp521r1.c
  ec/ecdsa_i31_bits.c ec/ecdsa_i31_sign_raw.c ec/ecdsa_i31_vrfy_raw.c
  hash/sha2small.c
  int/i31_add.c int/i31_bitlen.c int/i31_decmod.c int/i31_decode.c int/i31_decred.c int/i31_encode.c int/i31_fmont.c
  int/i31_iszero.c int/i31_moddiv.c int/i31_modpow.c int/i31_modpow2.c int/i31_montmul.c int/i31_mulacc.c
  int/i31_muladd.c int/i31_ninv31.c int/i31_reduce.c int/i31_rshift.c int/i31_sub.c int/i31_tmont.c int/i32_div32.c
  mac/hmac.c rand/hmac_drbg.c
  rsa/rsa_i31_keygen.c rsa/rsa_i31_keygen_inner.c rsa/rsa_i31_pkcs1_sign.c rsa/rsa_i31_priv.c rsa/rsa_i31_privexp.c
  rsa/rsa_i31_pub.c rsa/rsa_pkcs1_sig_pad.c)
list(TRANSFORM bearssl_sources PREPEND "${bearssl}/src/")
portail_foreign_library(portail_bearssl SOURCES ${bearssl_sources} INCLUDES "${bearssl}/inc")
add_library(portail::bearssl ALIAS portail_bearssl)
target_include_directories(portail_bearssl PRIVATE "${bearssl}/src")

# simdjson 3.12.3 as one header and one source file.
portail_unpack(pysimdjson-7.0.2.tar.gz 44cf276e48912a3b9c7ca362c14da8420a7ac15a9f1a16ec95becff86db3904a)
set(simdjson "${portail_unpacked}/pysimdjson-7.0.2/simdjson")
portail_foreign_library(portail_simdjson SOURCES "${simdjson}/simdjson.cpp" INCLUDES "${simdjson}")
add_library(portail::simdjson ALIAS portail_simdjson)
target_compile_definitions(portail_simdjson PUBLIC SIMDJSON_EXCEPTIONS=0 SIMDJSON_DISABLE_DEPRECATED_API=1)
target_compile_options(portail_simdjson PRIVATE -fno-exceptions -fno-rtti)

# zlib: the sources for `inflate`, without gzip headers and checksum tables.
portail_unpack(zlib_1.3.dfsg+really1.3.1.orig.tar.gz 60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb)
set(zlib "${portail_unpacked}/zlib-1.3.1")
portail_foreign_library(portail_zlib
  SOURCES ${zlib}/adler32.c ${zlib}/inffast.c ${zlib}/inflate.c ${zlib}/inftrees.c ${zlib}/zutil.c INCLUDES "${zlib}")
add_library(portail::zlib ALIAS portail_zlib)
target_compile_definitions(portail_zlib PRIVATE NO_GZIP)
target_compile_options(portail_zlib PRIVATE -Oz)  # only for documents, which are requested rarely

if(PORTAIL_TESTS)
  set(googletest /usr/src/googletest)
  portail_foreign_library(portail_gmock_main
    SOURCES ${googletest}/googletest/src/gtest-all.cc ${googletest}/googlemock/src/gmock-all.cc
            ${googletest}/googlemock/src/gmock_main.cc
    INCLUDES ${googletest}/googletest/include ${googletest}/googlemock/include)
  add_library(GTest::gmock_main ALIAS portail_gmock_main)
  add_library(GTest::gtest ALIAS portail_gmock_main)  # a program's own main precedes that of a library
  target_include_directories(portail_gmock_main PRIVATE ${googletest}/googletest ${googletest}/googlemock)
  target_compile_definitions(portail_gmock_main PUBLIC
    GTEST_HAS_PTHREAD=0 GTEST_HAS_FILE_SYSTEM=0 GTEST_HAS_STREAM_REDIRECTION=0 GTEST_HAS_EXCEPTIONS=0 GTEST_HAS_RTTI=0)
  target_compile_options(portail_gmock_main PRIVATE -fno-exceptions -fno-rtti)
  if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
    # wasi-libc refers to main weakly, so the linker would not load it from a library.
    target_link_options(portail_gmock_main INTERFACE -Wl,--undefined=__main_argc_argv)
  endif()
endif()
