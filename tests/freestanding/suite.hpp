// A test program for a bare target: cases, expectations, and misuse that must be told.
#pragma once

#include <cstddef>
#include <cstdint>

namespace suite {

/// A case, and what hs_misuse must be told in it: null if nothing.
struct test_case {
  const char* name;
  void (*run)();
  const char* call = nullptr;
  const char* reason = nullptr;
};

/// Counts the current case as failed, and says where.
void fail(const char* what, int line);

/// The next number of a fixed random sequence.
std::uint32_t random();

/// Runs the cases and exits. Prints "N passed, N failed".
[[noreturn]] void run(const test_case* cases, std::size_t count);

}  // namespace suite

#define EXPECT(...) ((__VA_ARGS__) ? void() : ::suite::fail(#__VA_ARGS__, __LINE__))
