# The library on Windows: regions and offset regions. All other allocators are headers, except the
# heap and shared regions, which need Linux.

add_library(heapsmith_static STATIC ${HEAPSMITH_REGION_SOURCES} ${HEAPSMITH_WINDOWS_SOURCES})
set_source_files_properties(os/diagnose.cpp os/windows/report.cpp PROPERTIES
  COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-Os>)
target_include_directories(heapsmith_static
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(heapsmith_static PRIVATE $<BUILD_INTERFACE:heapsmith_runtime_free>)
set_target_properties(heapsmith_static PROPERTIES OUTPUT_NAME heapsmith
  INTERPROCEDURAL_OPTIMIZATION OFF)
if(PROJECT_IS_TOP_LEVEL)
  set_target_properties(heapsmith_static PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()
add_library(heapsmith::heapsmith_static ALIAS heapsmith_static)

# The same name as on Linux, so that projects for both systems need no condition.
add_library(heapsmith INTERFACE)
target_link_libraries(heapsmith INTERFACE heapsmith_static)
add_library(heapsmith::heapsmith ALIAS heapsmith)

# Programs that link the heap include its header, which says that it is for Linux.
add_library(heapsmith_malloc INTERFACE)
target_link_libraries(heapsmith_malloc INTERFACE heapsmith_static)
target_compile_options(heapsmith_malloc INTERFACE "SHELL:-include heapsmith/heap.h")
set_target_properties(heapsmith_malloc PROPERTIES EXPORT_NAME malloc)
add_library(heapsmith::malloc ALIAS heapsmith_malloc)
foreach(target heapsmith_preload heapsmith_override)
  add_custom_target(${target}
    COMMAND ${CMAKE_COMMAND} -E echo
            "${target}: the heap is for Linux; build heapsmith_static (docs/windows.md)"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endforeach()
heapsmith_carries_cpp20(heapsmith_static)
