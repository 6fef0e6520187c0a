// A program whose operator new throws, and which then allocates from deeper frames.
#include <cstdlib>
#include <exception>
#include <new>

static void* volatile kept[5000];

[[gnu::noinline]] static int deeper(int depth) {
  volatile char frame[200];
  frame[0] = static_cast<char>(depth);
  if (depth == 0) {
    for (int i = 0; i < 1000; ++i) kept[i] = std::malloc(777);
    return frame[0];
  }
  return deeper(depth - 1) + frame[0];
}

static std::exception_ptr held[3];

int main() {
  volatile std::size_t much = static_cast<std::size_t>(-1) / 4;
  for (std::exception_ptr& each : held) {
    try {
      kept[4000] = ::operator new(much);
    } catch (const std::bad_alloc&) {
      each = std::current_exception();  // its end would call free from here
    }
  }
  deeper(20);
}
