# Misuse of typed pools: handles, double frees and overflows abort the process in every build.
add_executable(misuse_pools pools.cpp)
target_include_directories(misuse_pools PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(misuse_pools PRIVATE heapsmith_common)

function(pool_aborts case line)
  add_test(NAME misuse.pool.${case}
           COMMAND ${expect_abort} "heapsmith: ${line}" $<TARGET_FILE:misuse_pools> ${case})
  set_tests_properties(misuse.pool.${case} PROPERTIES LABELS misuse TIMEOUT 30)
endfunction()

set(not_live "is not live: it was erased, or never held a row")
pool_aborts(stale_handle "pool: stale handle: its row, generation 0 of slot 1, was erased")
pool_aborts(stale_handle_column
           "pool: stale handle: its row, generation 0 of slot 0, was erased")
pool_aborts(foreign_handle "pool: foreign handle: it belongs to pool 1, and this is pool 2")
pool_aborts(null_handle "pool: null handle: it names no row of any pool")
pool_aborts(handle_erased_twice
           "pool: stale handle: its row, generation 0 of slot 0, was erased")
pool_aborts(double_erase "pool: slot 1 ${not_live}")
pool_aborts(double_erase_columns "pool: slot 0 ${not_live}")
pool_aborts(never_added "pool: slot 7 ${not_live}")
pool_aborts(overflow "pool: full: 3 of 3 slots are in use, and none is free at the end")
pool_aborts(overflow_in_front
           "pool: full: 1 of 3 slots are in use, and none is free at the beginning")
pool_aborts(overflow_of_a_queue "pool: full: 2 of 2 slots are in use, and none is free at the end")
pool_aborts(pop_of_an_empty_stack "pool: pop_back() of an empty pool")
pool_aborts(inline_pool_overflow "inline_pool: full: all 1 slots are in use")
pool_aborts(inline_pool_double_erase "inline_pool: slot 0 ${not_live}")
pool_aborts(unordered_build "set or map: the keys of build() are not in ascending order")
