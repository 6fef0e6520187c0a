# The programs of the suites arena, scope, pool_resource and allocator: each holds all contenders of
# its suite. Only protobuf and Boost's pools are in libraries. Loops are aligned: where the compiler
# puts the loop that fills an object costs more, or less, than an arena does.
find_package(Threads REQUIRED)
function(heapsmith_suite program source)
  add_executable(bench-${program} ${source}.cpp)
  set_target_properties(bench-${program} PROPERTIES
    OUTPUT_NAME ${program}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  target_include_directories(bench-${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(bench-${program} PRIVATE ${ARGN} -falign-loops=64)
  target_link_libraries(bench-${program} PRIVATE
    heapsmith_common heapsmith::heapsmith_static boost_container protobuf Threads::Threads
    ${CMAKE_DL_LIBS})
endfunction()

foreach(suite IN ITEMS arena scope pool_resource)
  heapsmith_suite(${suite} ${suite} -O2)
endforeach()
# As CMake compiles a release. At -O2, which docs/dead-ends.md has figures of, GCC copies what a
# growing vector holds at once for std::allocator alone, and no allocator is what is measured.
heapsmith_suite(allocator allocator -O3)
heapsmith_suite(allocator-o2 allocator -O2)

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
