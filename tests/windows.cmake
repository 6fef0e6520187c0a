# The tests for Windows: the unit tests of the families and the contract. Wine runs them where they are
# built on Linux. Each program is one test of CTest, since starting a process takes long there.

# The flags of every test. GoogleTest's header is precompiled once, unless ccache stores whole units.
add_library(windows_flags INTERFACE)
target_link_libraries(windows_flags INTERFACE heapsmith_language GTest::gtest_main)
if(NOT CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
  set(nothing ${CMAKE_CURRENT_BINARY_DIR}/precompiled_gtest.cpp)
  file(CONFIGURE OUTPUT ${nothing} CONTENT "// A library needs a source.\n")
  add_library(precompiled_gtest OBJECT ${nothing})
  target_link_libraries(precompiled_gtest PRIVATE windows_flags)
  target_precompile_headers(precompiled_gtest PRIVATE <gtest/gtest.h>)
endif()

# windows_test(NAME sources...): `windows/` has headers that stand in for those of Linux.
function(windows_test name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR}/windows ${CMAKE_CURRENT_SOURCE_DIR}/unit
    ${CMAKE_CURRENT_SOURCE_DIR}/contract ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE windows_flags heapsmith::heapsmith)
  if(TARGET precompiled_gtest)
    target_precompile_headers(${name} REUSE_FROM precompiled_gtest)
  endif()
  # MinGW's libraries are not where Wine looks for them.
  target_link_options(${name} PRIVATE -static)
  add_test(NAME windows.${name} COMMAND ${name} --gtest_brief=1)
endfunction()

function(windows_unit_test family)
  set(sources ${ARGN})
  list(TRANSFORM sources PREPEND unit/${family}/)
  windows_test(unit_${family} ${sources})
endfunction()

windows_unit_test(region bins_test.cpp rebuild_test.cpp region_test.cpp region_reuse_test.cpp
                  region_stats_test.cpp region_memory_test.cpp region_misuse_test.cpp
                  region_model_test.cpp offset_region_test.cpp offset_table_test.cpp
                  offset_model_test.cpp offset_examples_test.cpp block_cache_test.cpp
                  concurrent_region_test.cpp)
windows_unit_test(decorators decorators_test.cpp synchronized_test.cpp)
windows_unit_test(pool_resource classes_test.cpp unsynchronized_test.cpp synchronized_test.cpp)
windows_unit_test(arena bump_test.cpp arena_test.cpp inline_arena_test.cpp rewind_test.cpp
                  concurrent_arena_test.cpp make_test.cpp)
windows_unit_test(scope scope_test.cpp make_test.cpp try_make_test.cpp)
windows_unit_test(resource traits_test.cpp resource_ref_test.cpp allocator_test.cpp pmr_test.cpp)
windows_unit_test(pool arithmetic_test.cpp bit_tree_test.cpp handle_test.cpp inline_pool_test.cpp
                  model_test.cpp pool_test.cpp soa_pool_test.cpp)
windows_unit_test(containers assign_if_test.cpp containers_test.cpp large_test.cpp)

foreach(program contract contract_composed contract_arenas)
  windows_test(${program} contract/contract_test.cpp contract/optional_test.cpp)
endforeach()
target_compile_definitions(contract_composed PRIVATE HS_CONTRACT_COMPOSED)
target_compile_definitions(contract_arenas PRIVATE HS_CONTRACT_ARENAS)
