// Scopes refuse types whose destructors may throw.
#include "heapsmith/scope.hpp"

struct sound {
  ~sound() {}
};
struct throwing {
  ~throwing() noexcept(false) {}
};

void make_in(heapsmith::scope<>& s) {
  s.make<sound>();
#if defined(WRONG)
  s.make<throwing>();  // expect: they must not throw
#endif
}
