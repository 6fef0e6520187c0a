// docs/design/slabs.md: instructions of a malloc and a free that replace one of many blocks.
//
// usage: replacement COUNT   runs the process's malloc: preload the library to measure
#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::size_t blocks = 262'144, block_bytes = 64;
void* block[blocks];

}  // namespace

int main(int argc, char** argv) {
  const long count = argc == 2 ? std::atol(argv[1]) : 0;
  for (void*& p : block) p = std::malloc(block_bytes);
  std::uint64_t random = 1;
  for (long i = 0; i < count; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    void*& p = block[(random >> 33) % blocks];
    std::free(p);
    p = std::malloc(block_bytes);
    if (p == nullptr) return 1;
  }
  for (void* p : block) std::free(p);
}
