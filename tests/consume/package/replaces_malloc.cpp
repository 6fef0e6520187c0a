// Linked with heapsmith::malloc, operator new is heapsmith's, for the standard library's own calls
// too: hs_free stops the process when it is given a block of any other allocator.
#include <heapsmith/heapsmith.h>

#include <cstdlib>
#include <limits>
#include <new>
#include <string>

int main() {
  hs_free(::operator new(100));
  hs_free(::operator new(100, std::align_val_t{256}));
  hs_free(std::malloc(100));
  ::operator delete(hs_malloc(100));

  // std::string's growth is compiled into libstdc++.so: it reaches us through the dynamic symbols.
  std::string text(64, 'x');
  text.append(1000, 'y');
  if (hs_malloc_usable_size(text.data()) < text.size()) return EXIT_FAILURE;

  try {
    volatile std::size_t too_much = std::numeric_limits<std::ptrdiff_t>::max();
    ::operator delete(::operator new(too_much));
  } catch (const std::bad_alloc&) {
    return EXIT_SUCCESS;
  }
  return EXIT_FAILURE;
}
