// Makes a known number of calls of functions that consist of one inlined allocation: callgrind
// counts the instructions of the allocation and of a return.
//
// usage: inlined SIZE COUNT      SIZE is 16, 64 or 256
//
// `nothing` consists of a return, which is subtracted from the others.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "heapsmith/arena.hpp"
#include "heapsmith/scope.hpp"

namespace {

void* volatile escaped;

constexpr long until_reset = 512;

}  // namespace

template <std::size_t Size>
[[gnu::noipa]] void* arena_allocate(heapsmith::arena<>& a) {
  return a.allocate(Size, 16);
}

template <std::size_t Size>
[[gnu::noipa]] void* scope_allocate(heapsmith::scope<>& s) {
  return s.allocate(Size, 16);
}

[[gnu::noipa]] void nothing() {}

namespace {

template <std::size_t Size>
void run(long count) {
  heapsmith::arena<> arena;
  arena.reserve(2 * until_reset * Size);
  const auto start = arena.checkpoint();
  for (long i = 0; i < count; ++i) {
    escaped = arena_allocate<Size>(arena);
    nothing();
    if (i % until_reset == 0) arena.rewind(start);
  }
  heapsmith::scope<> scope(arena);
  for (long i = 0; i < count; ++i) {
    escaped = scope_allocate<Size>(scope);
    if (i % until_reset == 0) scope.reset();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view size = argc == 3 ? argv[1] : "";
  const long count = argc == 3 ? std::strtol(argv[2], nullptr, 10) : 0;
  if (size == "16") return run<16>(count), 0;
  if (size == "64") return run<64>(count), 0;
  if (size == "256") return run<256>(count), 0;
  std::fputs("usage: inlined 16|64|256 COUNT\n", stderr);
  return 2;
}
