# Functions for WebAssembly components:
#   portail_bindings(WORLD [WIT PATH] [RENAME INTERFACE=NAME...])
#                                                   bindings_WORLD, the output of `wit-bindgen c` for a world of edge/wit or of PATH;
#                                                   names that its functions begin with, instead of the interfaces with their versions
#   portail_component(...)                          NAME.wasm in the build directory: edge/package/component.cmake
#   portail_composition(NAME COMPONENT HOSTS...)    NAME.wasm: COMPONENT, whose imports are the exports of HOSTS
# tools/dev installs wasm-tools and the adapter of preview 1, which connects wasi-libc to hosts, in build/edge-tools, and wit-bindgen in
# build/wit-bindgen (tools/lib/edge.sh).
set(portail_edge_tools "${PROJECT_SOURCE_DIR}/build/edge-tools")
find_program(portail_wasm_tools wasm-tools REQUIRED PATHS "${portail_edge_tools}" NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
find_program(portail_wit_bindgen wit-bindgen REQUIRED PATHS "${PROJECT_SOURCE_DIR}/build/wit-bindgen/bin" NO_DEFAULT_PATH
  NO_CMAKE_FIND_ROOT_PATH)
set(portail_license Apache-2.0)
set(portail_source "${PORTAIL_SOURCE_URL}")
set(portail_component_options portail_core_options)
set(portail_adapter "${portail_edge_tools}/wasi_snapshot_preview1.reactor.wasm")
include("${PROJECT_SOURCE_DIR}/edge/package/component.cmake")

# Written when CMake configures, again whenever an interface changes, and not by a target, since lint reads sources without a build. An
# object library, because no other object refers to the exports, and a static library would omit them.
function(portail_bindings world)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" WIT RENAME)
  if(NOT arg_WIT)
    set(arg_WIT "${PROJECT_SOURCE_DIR}/edge/wit")
  endif()
  file(GLOB_RECURSE interfaces CONFIGURE_DEPENDS FOLLOW_SYMLINKS "${arg_WIT}/*.wit")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${arg_WIT}" ${interfaces} "${portail_wit_bindgen}")
  list(TRANSFORM arg_RENAME PREPEND --rename=)
  set(folder "${PROJECT_BINARY_DIR}/bindings/${world}")
  execute_process(COMMAND "${portail_wit_bindgen}" c --world ${world} ${arg_RENAME} --out-dir "${folder}/new" "${arg_WIT}"
    OUTPUT_QUIET ERROR_VARIABLE messages RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "wit-bindgen c --world ${world}: ${status} ${messages}")
  endif()
  string(REPLACE "-" "_" file "${world}")
  foreach(generated ${file}.c ${file}.h ${file}_component_type.o)
    file(COPY_FILE "${folder}/new/${generated}" "${folder}/${generated}" ONLY_IF_DIFFERENT)
  endforeach()
  add_library(bindings_${world} OBJECT "${folder}/${file}.c")
  target_compile_options(bindings_${world} PRIVATE -w)
  target_include_directories(bindings_${world} SYSTEM INTERFACE "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>")
  target_link_libraries(bindings_${world} INTERFACE "$<BUILD_INTERFACE:${folder}/${file}_component_type.o>")
endfunction()

function(portail_composition name component)
  set(parts "${CMAKE_BINARY_DIR}/${component}.wasm")
  set(made ${component}_component)
  foreach(host ${ARGN})
    list(APPEND parts "${CMAKE_BINARY_DIR}/${host}.wasm")
    list(APPEND definitions -d "${CMAKE_BINARY_DIR}/${host}.wasm")
    list(APPEND made ${host}_component)
  endforeach()
  set(composed "${CMAKE_BINARY_DIR}/${name}.wasm")
  add_custom_command(OUTPUT "${composed}"
    COMMAND "${portail_wasm_tools}" compose "${CMAKE_BINARY_DIR}/${component}.wasm" ${definitions} -o "${composed}"
    DEPENDS ${parts} VERBATIM)
  add_custom_target(${name}_component ALL DEPENDS "${composed}")
  add_dependencies(${name}_component ${made})
  add_dependencies(components ${name}_component)
endfunction()
