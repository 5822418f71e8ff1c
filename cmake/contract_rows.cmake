# Generates contract_rows.hpp from docs/reference/contract.md, again whenever the page changes. By the configuration and not by a target,
# since lint reads sources without a build.
#   portail_contract_rows    the header's directory, for targets that include it
include_guard(GLOBAL)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(script "${PROJECT_SOURCE_DIR}/tools/docs/contract_rows.py")
set(page "${PROJECT_SOURCE_DIR}/docs/reference/contract.md")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${script}" "${page}")
execute_process(COMMAND "${Python3_EXECUTABLE}" -B "${script}" "${page}" OUTPUT_VARIABLE header COMMAND_ERROR_IS_FATAL ANY)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/contract_rows/contract_rows.hpp" CONTENT "${header}" @ONLY)

add_library(portail_contract_rows INTERFACE)
target_include_directories(portail_contract_rows INTERFACE "${PROJECT_BINARY_DIR}/contract_rows")
