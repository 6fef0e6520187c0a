// Scopes refuse arrays of types whose destructors may throw.
#include "heapsmith/scope.hpp"

struct throwing {
  ~throwing() noexcept(false) {}
};

void make_in(heapsmith::scope<>& s) {
  s.make_span<int>(10);
#if defined(WRONG)
  s.make_span<throwing>(10);  // expect: they must not throw
#endif
}
