# How WebAssembly components are made.
#   portail_bindings(WORLD [FOLDER])                what `wit-bindgen c` made of a world of edge/wit, or of another one
#                                                   whose bindings are in FOLDER: bindings_WORLD
#   portail_component(NAME sources... [LIBRARIES ...] [DESCRIPTION ...])
#                                                   NAME.wasm in the build folder
#   portail_composition(NAME COMPONENT HOSTS...)    NAME.wasm: COMPONENT, with what HOSTS export in the place of the host
# tools/dev puts wasm-tools and the adapter of preview 1, by which wasi-libc speaks to hosts, into build/edge-tools
# (tools/lib/edge.sh).
set(portail_edge_tools "${PROJECT_SOURCE_DIR}/build/edge-tools")
find_program(portail_wasm_tools wasm-tools REQUIRED PATHS "${portail_edge_tools}" NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
set(portail_license Apache-2.0)
set(portail_source "${PORTAIL_SOURCE_URL}")
find_program(portail_wasm_opt wasm-opt REQUIRED NO_CMAKE_FIND_ROOT_PATH)
# What clang-19 uses of WebAssembly, and every host has.
set(portail_wasm_features --enable-bulk-memory --enable-multivalue --enable-mutable-globals
  --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext)
set(portail_adapter "${portail_edge_tools}/wasi_snapshot_preview1.reactor.wasm")

# The exports are in objects that nothing refers to: an object library, so that they are linked all the same.
function(portail_bindings world)
  set(folder "${PROJECT_SOURCE_DIR}/edge/bindings")
  if(ARGC GREATER 1)
    set(folder "${ARGV1}")
  endif()
  string(REPLACE "-" "_" file "${world}")
  string(PREPEND file "${folder}/${world}/")
  add_library(bindings_${world} OBJECT "${file}.c")
  target_compile_options(bindings_${world} PRIVATE -w)
  target_include_directories(bindings_${world} SYSTEM INTERFACE "${PROJECT_SOURCE_DIR}/edge")
  target_link_libraries(bindings_${world} INTERFACE "${file}_component_type.o")
endfunction()

function(portail_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION" "LIBRARIES")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE portail_core_options ${arg_LIBRARIES})
  # An instance needs that much memory with its first request: each time it has to grow is a call of the host, and of its kernel.
  target_link_options(${name} PRIVATE -mexec-model=reactor -Wl,--gc-sections -Wl,--strip-debug -Wl,--initial-memory=1572864)
  set_target_properties(${name} PROPERTIES SUFFIX .core.wasm RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/modules")
  set(component "${CMAKE_BINARY_DIR}/${name}.wasm")
  add_custom_command(OUTPUT "${component}"
    COMMAND "${portail_wasm_opt}" -O3 ${portail_wasm_features} "$<TARGET_FILE:${name}>" -o "${component}.module"
    COMMAND "${portail_wasm_tools}" component new "${component}.module" -o "${component}.new"
            --adapt "wasi_snapshot_preview1=${portail_adapter}"
    COMMAND "${portail_wasm_tools}" strip --all "${component}.new" -o "${component}.new"
    COMMAND "${portail_wasm_tools}" metadata add "${component}.new" -o "${component}"
            --name ${name} --description "${arg_DESCRIPTION}" --licenses ${portail_license} --source "${portail_source}"
            --version ${PROJECT_VERSION}
    COMMAND "${CMAKE_COMMAND}" -E rm "${component}.module" "${component}.new"
    DEPENDS ${name} "${portail_adapter}" VERBATIM)
  add_custom_target(${name}_component ALL DEPENDS "${component}")
  add_dependencies(components ${name}_component)
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
