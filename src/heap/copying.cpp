// A large block often has OS pages that the program never wrote. They read as zero and have no
// memory; copying them as they are would give them some. docs/design/large-and-zeroed.md
#include "heap/copying.hpp"

#include <string.h>

#include "os/os.hpp"

namespace heapsmith {

// Compares the page with itself one word on.
bool is_zero_page(const char* page) {
  std::uint64_t first = 0;
  memcpy(&first, page, sizeof first);
  return first == 0 && memcmp(page, page + sizeof first, os::page_bytes() - sizeof first) == 0;
}

void copy_pages(char* to, const char* from, std::size_t bytes, bool to_is_clean) {
  const std::size_t page = os::page_bytes();
  for (std::size_t i = 0, n = 0; i < bytes; i += n) {  // a run of pages that are zero, or are not
    const bool zero = is_zero_page(from + i);
    for (n = page; i + n < bytes && is_zero_page(from + i + n) == zero;) n += page;
    if (!zero)
      memcpy(to + i, from + i, n);
    else if (!to_is_clean)
      spans::forget_contents(to + i, n);
  }
}

void copy_into_span(const spans::span& to, const char* from, std::size_t bytes) {
  // With one call for each stretch of slices that were used before, or were not.
  const std::size_t slices = slices_for(bytes);
  for (std::size_t i = 0; i < slices;) {
    const std::size_t first = i;
    const bool clean = to.slice_is_clean(first);
    while (i < slices && to.slice_is_clean(i) == clean) ++i;
    const std::size_t at = first * slice_bytes;
    copy_pages(to.start + at, from + at, (i - first) * slice_bytes, clean);
  }
}

}  // namespace heapsmith
