// A scope on an arena: blocks end in reverse order, when the scope closes.
#include <cstring>
// [
#include <heapsmith/scope.hpp>
// ]

template <class Scope>
static unsigned count(Scope& outer, unsigned depth) {
  // [
  auto frame = outer.child("call");                   // in the function that allocates
  auto* p = static_cast<char*>(frame.allocate(100));  // instead of malloc; no free
  // ]
  std::memset(p, 1, 100);
  return depth == 0 ? 1 : count(frame, depth - 1) + count(frame, depth - 1);
}

int main() {
  // [
  heapsmith::arena memory;  // once, in a caller
  heapsmith::scope outer(memory, "outer");
  // ]
  return count(outer, 5) == 32 ? 0 : 1;
}
