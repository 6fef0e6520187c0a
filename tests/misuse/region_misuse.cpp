// One misuse of a region in one process, which the region must abort.
//
// usage: region_misuse CASE SIZE RESOURCE
//
// SIZE is small or large. RESOURCE is plain (a region), coarse (a small_region), concurrent (a
// concurrent_region, in which freed small blocks lie in caches) or coarse_concurrent. The program
// first writes the pointer to stdout, so that the message can be compared letter by letter.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>
#include <thread>

#include "heapsmith/concurrent_region.hpp"
#include "heapsmith/region.hpp"
#include "heapsmith/small_region.hpp"

namespace {

constexpr std::size_t buffer_bytes = std::size_t{4} << 20;
alignas(64) unsigned char buffer[buffer_bytes];
alignas(64) unsigned char some_static[256];

/// The same pointer, without the compiler's knowledge of what it points to.
template <class T>
T* hidden(T* p) {
  asm volatile("" : "+r"(p));
  return p;
}

/// Prints the pointer that is about to be misused.
void* announce(void* p) {
  char line[32];
  const int length = snprintf(line, sizeof line, "%p\n", p);
  if (write(STDOUT_FILENO, line, static_cast<std::size_t>(length)) != length) abort();
  return p;
}

template <class R>
struct misuse {
  R& region;
  std::size_t bytes;

  unsigned char* block() const {
    auto* p = static_cast<unsigned char*>(region.allocate(bytes));
    memset(p, 1, bytes);
    return hidden(p);
  }
  void free_announced(void* p) const { region.deallocate(announce(p)); }

  void double_in_a_row() const {
    void* p = block();
    region.deallocate(p);
    free_announced(p);
  }

  void double_apart() const {
    void* p = block();
    void* q = block();
    region.deallocate(p);
    region.deallocate(q);
    free_announced(p);
  }

  /// Another thread frees the block first. In a concurrent region it lies in that thread's cache.
  void double_by_two() const {
    void* p = block();
    std::thread([&] { region.deallocate(p); }).join();
    free_announced(p);
  }

  /// A second free, after so many others that the block has joined its neighbours.
  void double_much_later() const {
    void* p = block();
    void* others[40];
    for (void*& q : others) q = block();
    void* wall = block();
    region.deallocate(p);
    for (void* q : others) region.deallocate(q);
    region.defragment();
    free_announced(p);
    region.deallocate(wall);
  }

  void foreign_static() const { free_announced(some_static + 64); }

  void foreign_stack() const {
    alignas(64) unsigned char local[256] = {};
    free_announced(local + 64);
  }

  void foreign_region() const {
    alignas(64) static unsigned char other_buffer[1 << 20];
    heapsmith::region other(other_buffer, sizeof other_buffer);
    free_announced(other.allocate(bytes));
  }

  void interior_near() const { free_announced(block() + 16); }
  void interior_odd() const { free_announced(block() + 1); }
  void interior_far() const { free_announced(block() + (bytes - 16) / 16 * 16); }

  void realloc_freed() const {
    void* p = block();
    region.deallocate(p);
    static_cast<void>(region.reallocate(announce(p), bytes, 2 * bytes));
  }

  void usable_freed() const {
    void* p = block();
    region.deallocate(p);
    static_cast<void>(region.usable_size(announce(p)));
  }

  /// The program writes eight bytes in front of the block.
  void header_overwritten() const {
    unsigned char* p = block();
    memset(hidden(p - 8), 0x41, 8);
    free_announced(p);
  }

  /// The program writes eight bytes behind the block. The region notices when the block joins its
  /// neighbours: at once if it is large.
  void header_behind_overwritten() const {
    unsigned char* p = block();
    memset(hidden(p + region.usable_size(p)), 0x41, 8);
    free_announced(p);
    region.defragment();
  }
};

template <class R>
constexpr std::size_t bytes_of = buffer_bytes;
template <>
constexpr std::size_t bytes_of<heapsmith::small_region> = HS_SMALL_REGION_END - 1;
template <>
constexpr std::size_t bytes_of<heapsmith::small_concurrent_region> = HS_SMALL_REGION_END - 1;

template <class R>
int run(std::string_view name, std::size_t bytes) {
  static R region(buffer, bytes_of<R>);
  const misuse<R> m{region, bytes};
  struct named_case {
    std::string_view name;
    void (misuse<R>::*run)() const;
  };
  constexpr named_case cases[] = {
      {"double_in_a_row", &misuse<R>::double_in_a_row},
      {"double_apart", &misuse<R>::double_apart},
      {"double_by_two", &misuse<R>::double_by_two},
      {"double_much_later", &misuse<R>::double_much_later},
      {"foreign_static", &misuse<R>::foreign_static},
      {"foreign_stack", &misuse<R>::foreign_stack},
      {"foreign_region", &misuse<R>::foreign_region},
      {"interior_near", &misuse<R>::interior_near},
      {"interior_odd", &misuse<R>::interior_odd},
      {"interior_far", &misuse<R>::interior_far},
      {"realloc_freed", &misuse<R>::realloc_freed},
      {"usable_freed", &misuse<R>::usable_freed},
      {"header_overwritten", &misuse<R>::header_overwritten},
      {"header_behind_overwritten", &misuse<R>::header_behind_overwritten},
  };
  for (const named_case& c : cases)
    if (c.name == name) return (m.*c.run)(), puts("went on"), 0;
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string_view size = argv[2], resource = argv[3];
  const std::size_t bytes = size == "small" ? 48 : size == "large" ? 20'000 : 0;
  if (bytes == 0) return 2;
  if (resource == "plain") return run<heapsmith::region>(argv[1], bytes);
  if (resource == "coarse") return run<heapsmith::small_region>(argv[1], bytes);
  if (resource == "coarse_concurrent")
    return run<heapsmith::small_concurrent_region>(argv[1], bytes);
  if (resource == "concurrent") return run<heapsmith::concurrent_region>(argv[1], bytes);
  return 2;
}
