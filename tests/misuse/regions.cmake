# Misuse of regions: small and large blocks, of a plain region and of a concurrent one.
add_executable(region_misuse region_misuse.cpp)
target_link_libraries(region_misuse PRIVATE heapsmith_common heapsmith::heapsmith_static)

# region_stops(REASON CALLS KINDS CASES...): the process stops with that reason in one of the calls.
# A kind is a size and a resource.
function(region_stops reason calls kinds)
  list(TRANSFORM calls REPLACE "(.+)" "heapsmith: \\1(%p): ${reason}")
  list(JOIN calls "|" lines)
  foreach(case IN LISTS ARGN)
    foreach(kind IN LISTS kinds)
      string(REPLACE "." ";" size_and_resource ${kind})
      set(name misuse.region.${case}.${kind})
      add_test(NAME ${name} COMMAND ${expect_stop} "${lines}"
               $<TARGET_FILE:region_misuse> ${case} ${size_and_resource})
      set_tests_properties(${name} PROPERTIES LABELS misuse TIMEOUT 30)
    endforeach()
  endforeach()
endfunction()

set(plain small.plain large.plain)
set(all ${plain} small.concurrent large.concurrent)
region_stops("${twice}" region_free "${all}"
             double_in_a_row double_apart double_by_two double_much_later)
region_stops("${twice}" "region_realloc;region_try_expand" "${all}" realloc_freed)
region_stops("${twice}" region_usable_size "${all}" usable_freed)
region_stops("is not a block of this region" region_free "${all}"
             foreign_static foreign_stack foreign_region)
region_stops("${gone}" region_free "${all}" interior_near interior_odd interior_far)

# AddressSanitizer stops the write already. Behind a small block of a concurrent region lies one in
# a cache, which is noticed first, and named.
if(NOT HEAPSMITH_SANITIZE)
  region_stops("${gone}" region_free "${all}" header_overwritten)
  region_stops("the header behind this block was overwritten" region_free
               "${plain};large.concurrent" header_behind_overwritten)
endif()
