# Misuse of typed pools: handles, double frees and overflows stop the process in every build.
add_executable(misuse_pools pools.cpp)
target_include_directories(misuse_pools PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(misuse_pools PRIVATE heapsmith_common)

function(pool_stops case line)
  add_test(NAME misuse.pool.${case}
           COMMAND ${expect_stop} "heapsmith: ${line}" $<TARGET_FILE:misuse_pools> ${case})
  set_tests_properties(misuse.pool.${case} PROPERTIES LABELS misuse TIMEOUT 30)
endfunction()

set(not_live "is not live: deallocated before, or never allocated")
pool_stops(stale_handle "pool: stale handle: slot 1 had it in generation 0, and that has ended")
pool_stops(stale_handle_column
           "pool: stale handle: slot 0 had it in generation 0, and that has ended")
pool_stops(foreign_handle "pool: foreign handle: it is of pool 1, and this is pool 2")
pool_stops(null_handle "pool: null handle: it names no row of any pool")
pool_stops(handle_freed_twice
           "pool: stale handle: slot 0 had it in generation 0, and that has ended")
pool_stops(double_free "pool: slot 1 ${not_live}")
pool_stops(double_free_columns "pool: slot 0 ${not_live}")
pool_stops(never_allocated "pool: slot 7 ${not_live}")
pool_stops(overflow "pool: full: 3 of 3 slots are in use, and none is free at the end")
pool_stops(overflow_in_front
           "pool: full: 1 of 3 slots are in use, and none is free at the beginning")
pool_stops(overflow_of_a_queue "pool: full: 2 of 2 slots are in use, and none is free at the end")
pool_stops(pop_of_nothing "pool: deallocate_end() of an empty pool")
pool_stops(fixed_pool_overflow "fixed_pool: full: all 1 slots are in use")
pool_stops(fixed_pool_double_free "fixed_pool: slot 0 ${not_live}")
pool_stops(unordered_build "set or map: build() of keys that do not ascend")
