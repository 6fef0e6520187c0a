// A buffer on the stack, and the heap for larger blocks.
#include <cstring>
// [
#include <heapsmith/inline_arena.hpp>
// ]

constexpr std::size_t LIMIT = 64;

static std::size_t use(std::size_t n) {
  // [
  heapsmith::inline_arena<LIMIT> memory;             // on the stack; larger blocks from the heap
  auto* p = static_cast<char*>(memory.allocate(n));  // no free
  // ]
  std::memset(p, 'x', n);
  p[n - 1] = 0;
  return std::strlen(p);
}

int main() {
  return use(10) == 9 && use(1000) == 999 ? 0 : 1;
}
