# The programs of the suites arena, scope, pool_resource and allocator: each holds all contenders of
# its suite. Only protobuf and Boost's pools are in libraries. Loops are aligned: where the compiler
# puts the loop that fills an object costs more, or less, than an arena does.
find_package(Threads REQUIRED)
foreach(suite IN ITEMS arena scope pool_resource allocator)
  add_executable(bench-${suite} ${suite}.cpp)
  set_target_properties(bench-${suite} PROPERTIES
    OUTPUT_NAME ${suite}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  target_include_directories(bench-${suite} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(bench-${suite} PRIVATE -O2 -falign-loops=64)
  target_link_libraries(bench-${suite} PRIVATE
    heapsmith_common heapsmith::heapsmith_static boost_container protobuf Threads::Threads
    ${CMAKE_DL_LIBS})
endforeach()

# Of typed pools and what lies in them; they tell what operator new is asked for.
foreach(suite IN ITEMS pools containers)
  add_executable(bench-${suite} ${suite}.cpp support/counted_new.cpp)
  set_target_properties(bench-${suite} PROPERTIES
    OUTPUT_NAME ${suite}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  target_include_directories(bench-${suite} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(bench-${suite} PRIVATE -O2 -falign-loops=64)
  target_link_libraries(bench-${suite} PRIVATE
    heapsmith_common heapsmith::heapsmith_static absl_throw_delegate ${CMAKE_DL_LIBS})
endforeach()

if(HEAPSMITH_TESTS)
  add_subdirectory(tests)
endif()
