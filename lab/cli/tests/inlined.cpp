// A site whose call is inlined twice, for the test of `heapsmith info`.
#include <cstdlib>

namespace {

[[gnu::always_inline]] inline void* take_bytes(unsigned n) {
  return std::malloc(n);
}

template <class T>
[[gnu::always_inline]] inline T* take(unsigned count) {
  return static_cast<T*>(take_bytes(count * static_cast<unsigned>(sizeof(T))));
}

}  // namespace

long* kept[100];

[[gnu::noinline]] void fill(unsigned count) {
  for (unsigned i = 0; i < count; ++i) kept[i] = take<long>(i + 1000);
}

int main(int argc, char**) {
  fill(49 + static_cast<unsigned>(argc));
  for (int i = 0; i < 30; ++i) std::free(kept[i]);
}
