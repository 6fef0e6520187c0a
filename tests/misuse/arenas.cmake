# Misuse of arenas and scopes. The message names the parent and the scope that is open on it.
add_executable(misuse_arenas arenas.cpp)
target_include_directories(misuse_arenas PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(misuse_arenas PRIVATE heapsmith_common)

function(arena_test case)
  add_test(NAME misuse.arena.${case} COMMAND ${ARGN} $<TARGET_FILE:misuse_arenas> ${case})
  set_tests_properties(misuse.arena.${case} PROPERTIES LABELS misuse TIMEOUT 30)
endfunction()

# arena_aborts(CASE PARENT PARTICIPLE CHILD): aborts in every build.
function(arena_aborts case parent participle child)
  arena_test(${case} ${expect_abort}
             "heapsmith: ${parent} ${participle} while its ${child} is open")
endfunction()

set(arena "arena at %p")
set(frame "scope \"frame\"")
set(level "child \"level\"")
set(first_scope "scope \"first\"")
set(first_child "child \"first\"")
arena_aborts(arena_under_scope "${arena}" "used" "${frame}")
arena_aborts(parent_under_child "${frame}" "used" "${level}")
arena_aborts(parent_makes_object_with_destructor "${frame}" "used" "${level}")
arena_aborts(parent_tries_to_make "${frame}" "used" "${level}")
arena_aborts(grandparent "${frame}" "used" "${level}")
arena_aborts(siblings_on_arena "${arena}" "given a second scope" "${first_scope}")
arena_aborts(siblings_on_scope "${frame}" "given a second scope" "${first_child}")
arena_aborts(reset_under_scope "${arena}" "reset" "${frame}")
arena_aborts(release_under_scope "${arena}" "released" "${frame}")
arena_aborts(rewind_under_scope "${arena}" "rewound" "${frame}")
arena_aborts(checkpoint_under_scope "${arena}" "asked for a checkpoint" "${frame}")
arena_aborts(scope_reset_under_child "${frame}" "reset" "${level}")
arena_aborts(closed_out_of_order "${frame}" "destroyed" "${level}")
arena_aborts(arena_ends_under_scope "${arena}" "destroyed" "${frame}")
foreach(case stale_checkpoint checkpoint_ahead foreign_checkpoint)
  arena_test(${case} ${expect_abort}
             "heapsmith: arena at %p rewound to a checkpoint of another arena, or one that has ended")
endforeach()

# Only AddressSanitizer sees these: accesses to memory of the arena that no user has.
if(HEAPSMITH_SANITIZE MATCHES "address")
  foreach(case read_after_rewind read_after_scope read_after_reset read_beyond_the_last_block
               read_after_deallocate_concurrent read_after_share_grew)
    arena_test(${case} ${CMAKE_CURRENT_SOURCE_DIR}/expect_report.sh use-after-poison)
  endforeach()
endif()
