// Arenas run no destructors: they refuse types that have one, and name the scope, which runs them.
#include "heapsmith/arena.hpp"

struct plain {
  int value;
};
struct with_destructor {
  ~with_destructor() {}
};

void make_in(heapsmith::arena<>& a) {
  a.make<plain>(1);
#if defined(WRONG)
  a.make<with_destructor>();  // expect: make this object in a heapsmith::scope
#endif
}
