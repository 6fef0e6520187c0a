# Misuse of arenas and scopes. The message names what was misused and the scope that is open on it.
add_executable(misuse_arenas arenas.cpp)
target_include_directories(misuse_arenas PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(misuse_arenas PRIVATE heapsmith_common)

function(arena_test case)
  add_test(NAME misuse.arena.${case} COMMAND ${ARGN} $<TARGET_FILE:misuse_arenas> ${case})
  set_tests_properties(misuse.arena.${case} PROPERTIES LABELS misuse TIMEOUT 30)
endfunction()

# arena_stops(CASE DEED HOLDER CHILD): the process stops in every build.
function(arena_stops case deed holder child)
  arena_test(${case} ${expect_stop} "heapsmith: ${deed} ${holder} while its ${child} is open")
endfunction()

set(arena "arena at %p")
foreach(name frame level first second)
  set(${name} "scope \"${name}\"")
endforeach()
arena_stops(arena_under_scope "a block was asked of" "${arena}" "${frame}")
arena_stops(parent_under_child "a block was asked of" "${frame}" "${level}")
arena_stops(parent_makes_object_with_destructor "a block was asked of" "${frame}" "${level}")
arena_stops(parent_tries_to_make "a block was asked of" "${frame}" "${level}")
arena_stops(grandparent "a block was asked of" "${frame}" "${level}")
arena_stops(siblings_on_arena "a scope was opened on" "${arena}" "${first}")
arena_stops(siblings_on_scope "a scope was opened on" "${frame}" "${first}")
arena_stops(reset_under_scope "reset was called on" "${arena}" "${frame}")
arena_stops(release_under_scope "release was called on" "${arena}" "${frame}")
arena_stops(rewind_under_scope "a checkpoint was rewound on" "${arena}" "${frame}")
arena_stops(checkpoint_under_scope "a checkpoint was taken of" "${arena}" "${frame}")
arena_stops(scope_reset_under_child "reset was called on" "${frame}" "${level}")
arena_stops(closed_out_of_order "the life ended of" "${frame}" "${level}")
arena_stops(arena_ends_under_scope "the life ended of" "${arena}" "${frame}")
foreach(case stale_checkpoint checkpoint_ahead foreign_checkpoint)
  arena_test(${case} ${expect_stop}
             "heapsmith: rewound arena at %p to a checkpoint that it does not have (any more)")
endforeach()

# What only AddressSanitizer sees: memory of the arena that no user has.
if(HEAPSMITH_SANITIZE MATCHES "address")
  foreach(case read_after_rewind read_after_scope read_after_reset read_beyond_the_last_block
               read_after_deallocate_concurrent read_after_share_grew)
    arena_test(${case} ${CMAKE_CURRENT_SOURCE_DIR}/expect_report.sh use-after-poison)
  endforeach()
endif()
