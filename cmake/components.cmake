# Functions for WebAssembly components:
#   portail_bindings(WORLD [FOLDER])                bindings_WORLD, the output of `wit-bindgen c` for a world of edge/wit, or for a
#                                                   world whose bindings are in FOLDER
#   portail_component(...)                          NAME.wasm in the build directory: edge/package/component.cmake
#   portail_composition(NAME COMPONENT HOSTS...)    NAME.wasm: COMPONENT, whose imports are the exports of HOSTS
# tools/dev installs wasm-tools and the adapter of preview 1, which connects wasi-libc to hosts, in build/edge-tools (tools/lib/edge.sh).
set(portail_edge_tools "${PROJECT_SOURCE_DIR}/build/edge-tools")
find_program(portail_wasm_tools wasm-tools REQUIRED PATHS "${portail_edge_tools}" NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
set(portail_license Apache-2.0)
set(portail_source "${PORTAIL_SOURCE_URL}")
set(portail_component_options portail_core_options)
set(portail_adapter "${portail_edge_tools}/wasi_snapshot_preview1.reactor.wasm")
include("${PROJECT_SOURCE_DIR}/edge/package/component.cmake")

# An object library, because no other object refers to the exports, and a static library would omit them.
function(portail_bindings world)
  set(folder "${PROJECT_SOURCE_DIR}/edge/bindings")
  if(ARGC GREATER 1)
    set(folder "${ARGV1}")
  endif()
  string(REPLACE "-" "_" file "${world}")
  string(PREPEND file "${folder}/${world}/")
  add_library(bindings_${world} OBJECT "${file}.c")
  target_compile_options(bindings_${world} PRIVATE -w)
  target_include_directories(bindings_${world} SYSTEM INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/edge>")
  target_link_libraries(bindings_${world} INTERFACE "$<BUILD_INTERFACE:${file}_component_type.o>")
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
