# Misuse that only hardened builds tell, in every build of the library.
add_executable(misuse_checked checked.cpp)
target_compile_definitions(misuse_checked PRIVATE HEAPSMITH_HARDENED)
target_link_libraries(misuse_checked PRIVATE heapsmith_common heapsmith::heapsmith_static)

# checked(REASON CASES…)
function(checked reason)
  foreach(case IN LISTS ARGN)
    add_test(NAME misuse.checked.${case}
             COMMAND ${expect_abort} "heapsmith: *: failed: * ${reason}"
                     $<TARGET_FILE:misuse_checked> ${case})
    set_tests_properties(misuse.checked.${case} PROPERTIES LABELS misuse TIMEOUT 30)
  endforeach()
endfunction()

checked("the heap was moved from"
  moved_heap_allocates moved_heap_resets moved_heap_gets_a_limit moved_heap_is_measured)
checked("the iterator is at no live row of its pool"
  iterator_of_moved_pool step_in_moved_columns iterator_of_erased_row)
checked("the slot is not live"
  iterator_of_moved_list iterator_of_moved_map)
