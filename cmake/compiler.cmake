# How every target of this project is compiled.
#   portail_library(NAME sources...)    a static library of the portable core: no exceptions, no RTTI
#   portail_unit_test(FOLDER sources...) the gtest program unit_FOLDER, registered with ctest
#   portail_test_with_bearssl(NAME PREFIX) that test program once more, with the signatures that guests verify by
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

add_library(portail_compile_options INTERFACE)
add_library(portail::compile_options ALIAS portail_compile_options)
target_include_directories(portail_compile_options INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
target_compile_options(portail_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion
  # Where a file is compiled by itself, as lint and the preset debug do: compiled together with others it shadows what it never sees.
  $<$<NOT:$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wshadow>
  $<$<BOOL:${PORTAIL_WARNINGS_AS_ERRORS}>:-Werror>
  # g++ takes the by-value parameters that a coroutine copies into its frame for unused arguments of its operator new.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>
  # And a source file that is compiled together with others for a header, whose unnamed namespaces it distrusts.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>)

if(PORTAIL_SANITIZE)
  add_compile_options(-fsanitize=${PORTAIL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PORTAIL_SANITIZE})
  # g++ sees uninitialised values in the code that sanitizers add (its manual says so, at -fsanitize=address).
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(PORTAIL_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=vptr)  # it needs the RTTI that the core does without
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

# Each case is a test of its own, named PREFIX and the case. Where a process takes a tenth of a second to start, as with a sanitizer or
# in a WebAssembly engine, the program is one.
# As WebAssembly the objects are those of what is shipped; only the linker optimises less, as it is asked once for each program.
function(portail_discover_tests name prefix)
  add_dependencies(test_programs ${name})
  if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
    target_link_options(${name} PRIVATE -O0 -Wl,--lto-O0,--lto-CGO0)
  elseif(CMAKE_SYSTEM_NAME STREQUAL "Emscripten")
    target_link_options(${name} PRIVATE -O1 -fno-lto -Wl,--lto-O0,--lto-CGO0
      -sSTACK_SIZE=1048576 -sSTACK_OVERFLOW_CHECK=1 -sALLOW_MEMORY_GROWTH -sEXIT_RUNTIME)
  endif()
  if(PORTAIL_SANITIZE OR CMAKE_SYSTEM_NAME MATCHES "^(WASI|Emscripten)$")
    add_test(NAME ${prefix}${name} COMMAND ${name})
    set_tests_properties(${prefix}${name} PROPERTIES TIMEOUT 600 COST 60)  # the longest are begun first
  else()
    gtest_discover_tests(${name} TEST_PREFIX "${prefix}" DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
  endif()
endfunction()

function(portail_unit_test folder)
  set(name unit_${folder})
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE portail_core_options portail_${folder} GTest::gmock_main)
  portail_discover_tests(${name} "unit.${folder}.")
endfunction()

# Elsewhere than natively the program itself is that.
function(portail_test_with_bearssl name prefix)
  if(PORTAIL_NATIVE)
    add_executable(${name}_bearssl $<TARGET_OBJECTS:${name}>)
    set_target_properties(${name}_bearssl PROPERTIES PORTAIL_VERIFIES_BY_BEARSSL ON LINKER_LANGUAGE CXX)
    target_link_libraries(${name}_bearssl PRIVATE $<TARGET_PROPERTY:${name},LINK_LIBRARIES>)
    portail_discover_tests(${name}_bearssl "${prefix}bearssl.")
  endif()
endfunction()
