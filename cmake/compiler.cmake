# The compiler options of all targets, and functions for targets:
#   portail_library(NAME sources...)    a static library of the portable core: no exceptions, no RTTI
#   portail_unit_test(FOLDER sources...) the gtest program unit_FOLDER, registered with ctest
#   portail_test_with_bearssl(NAME PREFIX) the same test program with the signature verification of guests
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

add_library(portail_compile_options INTERFACE)
add_library(portail::compile_options ALIAS portail_compile_options)
target_include_directories(portail_compile_options INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
target_compile_options(portail_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion
  # Only for files that are compiled by themselves, as by lint and the preset debug. In a unity build, unrelated files shadow each other's
  # names.
  $<$<NOT:$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wshadow>
  $<$<BOOL:${PORTAIL_WARNINGS_AS_ERRORS}>:-Werror>
  # g++ mistakes the by-value parameters of a coroutine for unused arguments of its operator new.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>
  # g++ treats the sources of a unity build as headers, whose unnamed namespaces it warns about.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>)

if(PORTAIL_SANITIZE)
  add_compile_options(-fsanitize=${PORTAIL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PORTAIL_SANITIZE})
  # g++ warns about uninitialised values in the code of sanitizers (see -fsanitize=address in its manual).
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(PORTAIL_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=vptr)  # it needs RTTI, which the core does not have
  endif()
endif()

if(PORTAIL_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

add_library(portail_core_options INTERFACE)
target_link_libraries(portail_core_options INTERFACE portail::compile_options)
target_compile_options(portail_core_options INTERFACE -fno-exceptions -fno-rtti)

function(portail_library name)
  add_library(${name} STATIC ${ARGN})
  # The options are private: a program with exceptions may link the core.
  target_link_libraries(${name} PRIVATE portail_core_options)
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
endfunction()

# Registers each case as a test, named PREFIX and the case. With sanitizers and in WebAssembly engines, where starting a process takes a
# tenth of a second, the whole program is one test. The preset asan runs them all; `tsan` as a further argument adds the program to that one.
# The WebAssembly objects are those that are shipped; only the linker optimises less, since it runs for each test program.
function(portail_discover_tests name prefix)
  portail_row(remaining repeated "${prefix}${name}")
  if(remaining STREQUAL "none")
    add_dependencies(repeated_test_programs ${name})
  else()
    add_dependencies(test_programs ${name})
  endif()
  if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
    target_link_options(${name} PRIVATE -O0 -Wl,--lto-O0,--lto-CGO0)
  elseif(CMAKE_SYSTEM_NAME STREQUAL "Emscripten")
    target_link_options(${name} PRIVATE -O1 -fno-lto -Wl,--lto-O0,--lto-CGO0
      -sSTACK_SIZE=1048576 -sSTACK_OVERFLOW_CHECK=1 -sALLOW_MEMORY_GROWTH -sEXIT_RUNTIME)
  endif()
  if(PORTAIL_SANITIZE OR CMAKE_SYSTEM_NAME MATCHES "^(WASI|Emscripten)$")
    add_test(NAME ${prefix}${name} COMMAND ${name})
    set_tests_properties(${prefix}${name} PROPERTIES COST 60 LABELS "asan;${ARGN}")  # the longest start first
  else()
    gtest_discover_tests(${name} TEST_PREFIX "${prefix}" DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

function(portail_unit_test folder)
  set(name unit_${folder})
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE portail_core_options portail_${folder} GTest::gmock_main)
  portail_discover_tests(${name} "unit.${folder}.")
endfunction()

# In other builds the test program itself verifies with BearSSL.
function(portail_test_with_bearssl name prefix)
  if(PORTAIL_NATIVE)
    add_executable(${name}_bearssl $<TARGET_OBJECTS:${name}>)
    set_target_properties(${name}_bearssl PROPERTIES PORTAIL_VERIFIES_BY_BEARSSL ON LINKER_LANGUAGE CXX)
    target_link_libraries(${name}_bearssl PRIVATE $<TARGET_PROPERTY:${name},LINK_LIBRARIES>)
    portail_discover_tests(${name}_bearssl "${prefix}bearssl.")
  endif()
endfunction()
