# Makes a WebAssembly component, here and in projects that use the CMake package portail-edge (edge/package).
#   portail_component(NAME sources... [LIBRARIES ...] [DESCRIPTION ...])   NAME.wasm in the build folder
# The libraries are one of the adapters, and the component's own. portail_license (of SPDX) and portail_source (an address), where they
# are set, are in its metadata. portail_wasm_tools and portail_adapter say where wasm-tools and the adapter of preview 1 are, by which
# wasi-libc speaks to hosts.
find_program(portail_wasm_opt wasm-opt REQUIRED NO_CMAKE_FIND_ROOT_PATH)
# What clang-19 uses of WebAssembly, and every host has.
set(portail_wasm_features --enable-bulk-memory --enable-multivalue --enable-mutable-globals
  --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext)

function(portail_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION" "LIBRARIES")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${portail_component_options} ${arg_LIBRARIES})
  # An instance needs that much memory with its first request: each time it has to grow is a call of the host, and of its kernel.
  target_link_options(${name} PRIVATE -mexec-model=reactor -Wl,--gc-sections -Wl,--strip-debug -Wl,--initial-memory=1572864)
  # What would be inlined a little beyond that costs more bytes than it saves instructions.
  target_link_options(${name} PRIVATE -Wl,-mllvm,-inline-threshold=150)
  set_target_properties(${name} PROPERTIES SUFFIX .core.wasm RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/modules")
  set(component "${CMAKE_BINARY_DIR}/${name}.wasm")
  set(metadata --name ${name} --version ${PROJECT_VERSION} --description "${arg_DESCRIPTION}")
  if(portail_license)
    list(APPEND metadata --licenses ${portail_license})
  endif()
  if(portail_source)
    list(APPEND metadata --source "${portail_source}")
  endif()
  add_custom_command(OUTPUT "${component}"
    COMMAND "${portail_wasm_opt}" -O3 ${portail_wasm_features} "$<TARGET_FILE:${name}>" -o "${component}.module"
    COMMAND "${portail_wasm_tools}" component new "${component}.module" -o "${component}.new"
            --adapt "wasi_snapshot_preview1=${portail_adapter}"
    COMMAND "${portail_wasm_tools}" strip --all "${component}.new" -o "${component}.new"
    COMMAND "${portail_wasm_tools}" metadata add "${component}.new" -o "${component}" ${metadata}
    COMMAND "${CMAKE_COMMAND}" -E rm "${component}.module" "${component}.new"
    DEPENDS ${name} "${portail_adapter}" VERBATIM)
  add_custom_target(${name}_component ALL DEPENDS "${component}")
  if(TARGET components)
    add_dependencies(components ${name}_component)
  endif()
endfunction()
