// clang: objects of a temporary scope end with the full expression.
#include "heapsmith/scope.hpp"

int use(heapsmith::arena<>& memory) {
#if defined(WRONG)
  int& number = heapsmith::scope(memory).make<int>(1);  // expect: temporary
#else
  heapsmith::scope s(memory);
  int& number = s.make<int>(1);
#endif
  return number;
}
