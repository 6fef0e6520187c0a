// A program that limits its heap by itself: hs_settings is read before the first allocation. The
// variable HEAPSMITH_LIMIT_BYTES replaces the limit.
#include <cstdio>

#include "heapsmith/heapsmith.h"

const char hs_settings[] = "limit_bytes=16M,reserve=1G";

int main() {
  void* small = hs_malloc(1 << 20);
  void* large = hs_malloc(64 << 20);
  std::printf("1 MiB: %s, 64 MiB: %s\n", small != nullptr ? "allocated" : "refused",
              large != nullptr ? "allocated" : "refused");
  hs_free(small);
  hs_free(large);
}
