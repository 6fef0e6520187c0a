// clang: a reference to an object of a scope does not leave the function that the scope is in.
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
