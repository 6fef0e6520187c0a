# The programs of the suite `rust`, which cargo builds: bench-rust needs the crates' sources alone,
# bench-rust-peers compiles the C and C++ of other allocators, too, and is built by `./dev bench`.
find_program(HEAPSMITH_CARGO cargo REQUIRED)
set(rust_folder ${CMAKE_CURRENT_BINARY_DIR})
file(GLOB_RECURSE rust_sources CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/rust/*.rs ${CMAKE_CURRENT_SOURCE_DIR}/rust/*.toml
  ${PROJECT_SOURCE_DIR}/rust/heapsmith/src/*.rs ${PROJECT_SOURCE_DIR}/rust/heapsmith-sys/src/*.rs
  ${PROJECT_SOURCE_DIR}/src/*.cpp ${PROJECT_SOURCE_DIR}/src/*.hpp)
list(APPEND rust_sources ${CMAKE_CURRENT_SOURCE_DIR}/rust/build
  ${CMAKE_CURRENT_SOURCE_DIR}/peers/build.rs ${PROJECT_SOURCE_DIR}/rust/heapsmith/Cargo.toml
  ${PROJECT_SOURCE_DIR}/rust/heapsmith-sys/build.rs ${PROJECT_SOURCE_DIR}/Cargo.toml
  ${PROJECT_SOURCE_DIR}/Cargo.lock)
set(rust_build ${CMAKE_COMMAND} -E env CARGO=${HEAPSMITH_CARGO}
  ${CMAKE_CURRENT_SOURCE_DIR}/rust/build ${rust_folder})

add_custom_command(OUTPUT ${rust_folder}/rust
  COMMAND ${rust_build} suite glibc heapsmith overlapping
  DEPENDS ${rust_sources}
  COMMENT "Building the suite rust"
  VERBATIM)
add_custom_target(bench-rust ALL DEPENDS ${rust_folder}/rust)

add_custom_command(OUTPUT ${rust_folder}/rust-peers.built
  COMMAND ${rust_build} jemalloc mimalloc snmalloc tcmalloc
  COMMAND ${CMAKE_COMMAND} -E touch ${rust_folder}/rust-peers.built
  DEPENDS ${rust_folder}/rust
  COMMENT "Building the programs of the suite rust under other allocators"
  VERBATIM)
add_custom_target(bench-rust-peers DEPENDS ${rust_folder}/rust-peers.built)

if(HEAPSMITH_TESTS)
  add_test(NAME bench.rust
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tests/runs.sh ${rust_folder}/rust
            $<TARGET_FILE:heapsmith_preload>)
  add_test(NAME bench.rust.bites
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tests/bites.sh ${rust_folder}/rust)
  set_tests_properties(bench.rust bench.rust.bites PROPERTIES LABELS bench TIMEOUT 300)
endif()
