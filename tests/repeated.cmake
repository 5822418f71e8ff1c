# Reads tests/repeated.txt. A test of which nothing remains in a default run gets the label `repeated`; the drivers of the contract suite
# find the cases that remain of another one in PORTAIL_CASES (tests/contract/suite.py). Cases that gtest_discover_tests registers cannot
# be in the list.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/repeated.txt" portail_repeated REGEX "^[^#]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/repeated.txt")

set(portail_preset release)
if(NOT PROJECT_BINARY_DIR STREQUAL "${PROJECT_SOURCE_DIR}/build")
  get_filename_component(portail_preset "${PROJECT_BINARY_DIR}" NAME)
endif()

# portail_remaining(VARIABLE TEST): what remains of the test in a default run; empty if it is not in the list.
function(portail_remaining variable test)
  set(${variable} "" PARENT_SCOPE)
  foreach(row IN LISTS portail_repeated)
    if(NOT row MATCHES "^([^ ]+) \\| ([^ ]+) \\| .+$")
      message(FATAL_ERROR "tests/repeated.txt: not a test, what remains and a reason: ${row}")
    endif()
    set(remaining "${CMAKE_MATCH_2}")
    if("${portail_preset}/${test}" MATCHES "^(${CMAKE_MATCH_1})$")
      set(${variable} "${remaining}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# portail_mark_repeated(DIRECTORY): marks the tests of the directory and those below it.
function(portail_mark_repeated directory)
  get_property(tests DIRECTORY "${directory}" PROPERTY TESTS)
  foreach(test IN LISTS tests)
    portail_remaining(remaining "${test}")
    if(remaining STREQUAL "none")
      set_property(TEST "${test}" DIRECTORY "${directory}" APPEND PROPERTY LABELS repeated)
    elseif(remaining)
      string(REGEX REPLACE "^once$" "*" cases "${remaining}")
      set_property(TEST "${test}" DIRECTORY "${directory}" APPEND PROPERTY ENVIRONMENT "PORTAIL_CASES=${cases}")
    endif()
  endforeach()
  get_property(directories DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS directories)
    portail_mark_repeated("${below}")
  endforeach()
endfunction()
