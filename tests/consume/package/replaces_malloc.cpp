// Linked with heapsmith::malloc, operator new is heapsmith's, also for calls inside the standard
// library. hs_free aborts if it gets a block of another allocator.
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

  // libstdc++.so contains the code that grows a std::string. It finds us through dynamic symbols.
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
