// clang: a function must not return a pointer to an array of its own scope, or a span.
#include "heapsmith/scope.hpp"

int* keep(heapsmith::scope<>& s) {
  return s.make_array<int>(10);
}

#if defined(WRONG)
int* lose(heapsmith::arena<>& memory) {
  heapsmith::scope s(memory);
  return s.make_array<int>(10);  // expect: stack memory associated with local variable 's'
}
#endif
