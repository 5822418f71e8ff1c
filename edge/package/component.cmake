# Builds a WebAssembly component, here and in projects that use the CMake package portail-edge (edge/package).
#   portail_component(NAME sources... [LIBRARIES ...] [DESCRIPTION ...] [MODULE])   NAME.wasm in the build folder
# With MODULE it is a command of preview 1, for hosts that are not of the component model.
# The libraries are one of the adapters, and the component's own. If portail_license (SPDX) and portail_source (a URL) are set, the
# metadata contains them. portail_wasm_tools and portail_adapter are the paths of wasm-tools and of the adapter of preview 1, by which
# wasi-libc calls hosts.
find_program(portail_wasm_opt wasm-opt NO_CMAKE_FIND_ROOT_PATH)
if(NOT portail_wasm_opt)
  message(FATAL_ERROR "wasm-opt is missing: on Debian, install binaryen, or set -Dportail_wasm_opt=PATH")
endif()
# The WebAssembly features that clang-19 uses. All hosts support them.
set(portail_wasm_features --enable-bulk-memory --enable-multivalue --enable-mutable-globals
  --enable-nontrapping-float-to-int --enable-reference-types --enable-sign-ext)

function(portail_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg MODULE DESCRIPTION LIBRARIES)
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${portail_component_options} ${arg_LIBRARIES})
  set(component "${CMAKE_BINARY_DIR}/${name}.wasm")
  if(arg_MODULE)
    set(model command)
    set(new "${CMAKE_COMMAND}" -E rename "${component}.module" "${component}.new")
  else()
    set(model reactor)
    set(new "${portail_wasm_tools}" component new "${component}.module" -o "${component}.new" --adapt "wasi_snapshot_preview1=${portail_adapter}")
  endif()
  # The memory that an instance needs for its first request: growing it costs a call of the host, and of its kernel.
  target_link_options(${name} PRIVATE -mexec-model=${model} -Wl,--gc-sections -Wl,--strip-debug -Wl,--initial-memory=1572864)
  # wasm-opt may assume that the lowest KiB of memory is unused, where the stack ends: 1 MiB remains above it.
  target_link_options(${name} PRIVATE -Wl,-z,stack-size=1049600)
  # A higher threshold adds more bytes than it saves instructions.
  target_link_options(${name} PRIVATE -Wl,-mllvm,-inline-threshold=150)
  set_target_properties(${name} PROPERTIES SUFFIX .core.wasm RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/modules")
  set(metadata --name ${name} --version ${PROJECT_VERSION} --description "${arg_DESCRIPTION}")
  if(portail_license)
    list(APPEND metadata --licenses ${portail_license})
  endif()
  if(portail_source)
    list(APPEND metadata --source "${portail_source}")
  endif()
  # Functions that are called often get the indices that need one byte.
  add_custom_command(OUTPUT "${component}"
    COMMAND "${portail_wasm_opt}" -O3 --low-memory-unused --reorder-functions ${portail_wasm_features} "$<TARGET_FILE:${name}>"
            -o "${component}.module"
    COMMAND ${new}
    COMMAND "${portail_wasm_tools}" strip --all "${component}.new" -o "${component}.new"
    COMMAND "${portail_wasm_tools}" metadata add "${component}.new" -o "${component}" ${metadata}
    COMMAND "${CMAKE_COMMAND}" -E rm -f "${component}.module" "${component}.new"
    DEPENDS ${name} "${portail_adapter}" VERBATIM)
  add_custom_target(${name}_component ALL DEPENDS "${component}")
  if(TARGET components)
    add_dependencies(components ${name}_component)
  endif()
endfunction()
