# The programs of the suite `rust`, which cargo builds. Loops are aligned, as in the other suites.
find_program(HEAPSMITH_CARGO cargo REQUIRED)
set(rust_target ${CMAKE_CURRENT_BINARY_DIR}/rust-cargo)
file(GLOB_RECURSE rust_sources CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/rust/*.rs ${CMAKE_CURRENT_SOURCE_DIR}/rust/*.toml
  ${PROJECT_SOURCE_DIR}/rust/heapsmith/src/*.rs)
list(APPEND rust_sources
  ${CMAKE_CURRENT_SOURCE_DIR}/peers/build.rs ${PROJECT_SOURCE_DIR}/rust/heapsmith/Cargo.toml
  ${PROJECT_SOURCE_DIR}/Cargo.toml ${PROJECT_SOURCE_DIR}/Cargo.lock)

set(rust_programs ${CMAKE_CURRENT_BINARY_DIR}/rust ${CMAKE_CURRENT_BINARY_DIR}/rust-inlined)
add_custom_command(OUTPUT ${rust_programs}
  # Debian 12 has a Rust that is older than bump-scope asks for, by a fix that it does not need.
  COMMAND ${CMAKE_COMMAND} -E env "RUSTFLAGS=-C llvm-args=-align-loops=64"
          ${HEAPSMITH_CARGO} build --release --locked --quiet --ignore-rust-version
          --package heapsmith-bench-rust
          --manifest-path ${PROJECT_SOURCE_DIR}/Cargo.toml --target-dir ${rust_target}
  COMMAND ${CMAKE_COMMAND} -E copy ${rust_target}/release/rust ${rust_target}/release/rust-inlined
          ${CMAKE_CURRENT_BINARY_DIR}
  DEPENDS ${rust_sources}
  COMMENT "Building the suite rust"
  VERBATIM)
add_custom_target(bench-rust ALL DEPENDS ${rust_programs})

if(HEAPSMITH_TESTS)
  add_test(NAME bench.rust
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tests/runs.sh ${CMAKE_CURRENT_BINARY_DIR}/rust
            $<TARGET_FILE:heapsmith_preload>)
  add_test(NAME bench.rust.bites
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tests/bites.sh ${CMAKE_CURRENT_BINARY_DIR}/rust)
  set_tests_properties(bench.rust bench.rust.bites PROPERTIES LABELS bench TIMEOUT 300)
endif()
