// Calls the C API from C++.
#include <heapsmith/heapsmith.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

int main() {
  struct release {
    void operator()(void* block) const { hs_free(block); }
  };
  if (std::string_view(hs_version()).empty()) return EXIT_FAILURE;
  std::unique_ptr<void, release> block(hs_malloc(1000));
  if (!block || hs_malloc_usable_size(block.get()) < 1000) return EXIT_FAILURE;
  if (reinterpret_cast<std::uintptr_t>(block.get()) % 16 != 0) return EXIT_FAILURE;
  return EXIT_SUCCESS;
}
