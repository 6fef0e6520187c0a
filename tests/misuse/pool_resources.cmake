# Misuse of pool resources in a hardened build: aborts if the pool can see it in the block.
add_executable(misuse_pool_resources pool_resources.cpp)
target_include_directories(misuse_pool_resources PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(misuse_pool_resources PRIVATE HEAPSMITH_HARDENED)
target_link_libraries(misuse_pool_resources PRIVATE heapsmith_common)

foreach(kind unsynchronized synchronized)
  foreach(case_and_reason
      "freed_twice:the block is freed twice in a row"
      "interior:no block starts here"
      "of_another_pool:the block belongs to another pool"
      "too_many_bytes:the block is smaller than the size passed with it")
    string(REGEX MATCH "^([a-z_]+):(.*)$" _ "${case_and_reason}")
    set(reason "${CMAKE_MATCH_2}")
    set(case ${kind}_${CMAKE_MATCH_1})
    add_test(NAME misuse.pool_resource.${case}
             COMMAND ${expect_abort} "heapsmith: *: failed: * ${reason}"
                     $<TARGET_FILE:misuse_pool_resources> ${case})
    set_tests_properties(misuse.pool_resource.${case} PROPERTIES LABELS misuse TIMEOUT 30)
  endforeach()
endforeach()

# Only AddressSanitizer sees this: an access to a block that was deallocated.
if(HEAPSMITH_SANITIZE MATCHES "address")
  foreach(kind unsynchronized synchronized)
    add_test(NAME misuse.pool_resource.${kind}_read_after_free
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/expect_report.sh use-after-poison
                     $<TARGET_FILE:misuse_pool_resources> ${kind}_read_after_free)
    set_tests_properties(misuse.pool_resource.${kind}_read_after_free PROPERTIES
      LABELS misuse TIMEOUT 30)
  endforeach()
endif()
