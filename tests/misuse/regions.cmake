# Misuse of regions: small and large blocks, in regions of each kind.
add_executable(region_misuse region_misuse.cpp)
target_link_libraries(region_misuse PRIVATE heapsmith_common heapsmith::heapsmith_static)

# region_aborts(REASON CALLS KINDS CASES...): one of the calls aborts the process for that reason. A
# kind is a size and a resource.
function(region_aborts reason calls kinds)
  list(TRANSFORM calls REPLACE "(.+)" "heapsmith: \\1(%p): ${reason}")
  list(JOIN calls "|" lines)
  foreach(case IN LISTS ARGN)
    foreach(kind IN LISTS kinds)
      string(REPLACE "." ";" size_and_resource ${kind})
      set(name misuse.region.${case}.${kind})
      add_test(NAME ${name} COMMAND ${expect_abort} "${lines}"
               $<TARGET_FILE:region_misuse> ${case} ${size_and_resource})
      set_tests_properties(${name} PROPERTIES LABELS misuse TIMEOUT 30)
    endforeach()
  endforeach()
endfunction()

set(plain small.plain large.plain small.coarse large.coarse)
set(all ${plain} small.concurrent large.concurrent small.coarse_concurrent large.coarse_concurrent)
region_aborts("${twice}" region_free "${all}"
             double_in_a_row double_apart double_by_two double_much_later)
region_aborts("${twice}" "region_realloc;region_try_expand" "${all}" realloc_freed)
region_aborts("${twice}" region_usable_size "${all}" usable_freed)
region_aborts("is not a block of this region" region_free "${all}"
             foreign_static foreign_stack foreign_region)
region_aborts("${gone}" region_free "${all}" interior_near interior_odd interior_far)

# AddressSanitizer aborts at the write. In a concurrent region a small block is followed by a block
# in a cache, which is detected and reported first.
if(NOT HEAPSMITH_SANITIZE)
  region_aborts("${gone}" region_free "${all}" header_overwritten)
  region_aborts("the header behind this block was overwritten" region_free
               "${plain};large.concurrent;large.coarse_concurrent" header_behind_overwritten)
endif()
