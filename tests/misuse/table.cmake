# The table of SECURITY.md is the list of these tests: each of its cells says when a mistake is told.
# MISUSE_RUNS=1000 ctest --test-dir build/release -L told    makes each mistake 1,000 times.
set(table ${PROJECT_SOURCE_DIR}/SECURITY.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})

set(rows
  "twice:freed twice in a row"
  "interleaved:freed twice, another block in between"
  "misaligned:freed at an address 1 byte off"
  "interior:freed at an address 16 bytes off"
  "at_once:freed by two threads at once")
set(columns "small same" "small other" "large same" "large other" "direct same" "direct other")

# told_test(NAME TOLD COMMAND...)
function(told_test name told)
  add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/expect_told.sh "${told}" ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS "misuse;told" TIMEOUT 600)
endfunction()

misuse_program(misuse_told told.cpp heapsmith::heapsmith_static)
if(NOT HEAPSMITH_SANITIZE)
  misuse_program(misuse_told_plain told.cpp)
  target_compile_definitions(misuse_told_plain PRIVATE MISUSE_PLAIN_NAMES)
endif()

foreach(row IN LISTS rows)
  string(REGEX MATCH "^([a-z_]+):(.*)$" _ "${row}")
  set(mistake ${CMAKE_MATCH_1})
  file(STRINGS ${table} line REGEX "^\\| ${CMAKE_MATCH_2} \\|")
  string(REGEX REPLACE "^\\| [^|]* \\| (.*) \\|$" "\\1" cells "${line}")
  string(REPLACE " | " ";" cells "${cells}")
  list(LENGTH cells count)
  if(NOT count EQUAL 6)
    message(FATAL_ERROR "SECURITY.md has no row \"${CMAKE_MATCH_2}\" with six cells")
  endif()
  # ThreadSanitizer ends a program whose threads race, which is the mistake itself. The undefined
  # behaviour sanitizer ends one whose free() follows a misaligned pointer.
  if((mistake STREQUAL "at_once" AND HEAPSMITH_SANITIZE STREQUAL "thread") OR
     (mistake STREQUAL "misaligned" AND HEAPSMITH_SANITIZE MATCHES "address|undefined"))
    continue()
  endif()
  foreach(column told IN ZIP_LISTS columns cells)
    if(NOT told MATCHES "^(at once|later|no)$")
      message(FATAL_ERROR "SECURITY.md: \"${told}\" is not a cell of the table")
    endif()
    separate_arguments(arguments UNIX_COMMAND "${mistake} ${column}")
    string(REPLACE " " "." name "${mistake}.${column}")
    told_test(misuse.told.${name} "${told}" $<TARGET_FILE:misuse_told> ${arguments})
    if(NOT HEAPSMITH_SANITIZE)
      told_test(misuse.told.preload.${name} "${told}"
                env LD_PRELOAD=$<TARGET_FILE:heapsmith_preload>
                $<TARGET_FILE:misuse_told_plain> ${arguments})
    endif()
  endforeach()
endforeach()
