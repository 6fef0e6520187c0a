// clang: a function must not return a reference to an object of its own scope.
#include "heapsmith/scope.hpp"

int& keep(heapsmith::scope<>& s) {
  return s.make<int>(1);
}

#if defined(WRONG)
int& lose(heapsmith::arena<>& memory) {
  heapsmith::scope s(memory);
  return s.make<int>(1);  // expect: stack memory associated with local variable 's'
}
#endif
