// make() refuses array types, which make_array() makes.
#include "heapsmith/scope.hpp"

void make_in(heapsmith::scope<>& s) {
  s.make_array<int>(10);
#if defined(WRONG)
  s.make<int[10]>();  // expect: arrays are made by make_array
#endif
}
