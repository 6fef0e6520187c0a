// Copies of strings in blocks of a heap.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/dialects/mimalloc/requests.hpp"

namespace mimalloc = heapsmith::mimalloc;
using heapsmith::first_class_heap;

namespace {

char* copy(first_class_heap* f, const char* text, size_t length) {
  auto* const p = static_cast<char*>(mimalloc::make(f, length + 1));
  if (p == nullptr) return nullptr;
  memcpy(p, text, length);
  p[length] = '\0';
  return p;
}

}  // namespace

extern "C" {

char* mi_heap_strdup(mi_heap_t* heap, const char* text) {
  return text == nullptr ? nullptr : copy(mimalloc::behind(heap), text, strlen(text));
}
char* mi_heap_strndup(mi_heap_t* heap, const char* text, size_t most) {
  return text == nullptr ? nullptr : copy(mimalloc::behind(heap), text, strnlen(text, most));
}
char* mi_heap_realpath(mi_heap_t* heap, const char* path, char* resolved) {
  if (resolved != nullptr) return realpath(path, resolved);
  char found[PATH_MAX];
  return realpath(path, found) == nullptr ? nullptr : mi_heap_strdup(heap, found);
}

char* mi_strdup(const char* text) {
  return mi_heap_strdup(mi_heap_get_default(), text);
}
char* mi_strndup(const char* text, size_t most) {
  return mi_heap_strndup(mi_heap_get_default(), text, most);
}
char* mi_realpath(const char* path, char* resolved) {
  return mi_heap_realpath(mi_heap_get_default(), path, resolved);
}

unsigned char* mi_mbsdup(const unsigned char* text) {
  return reinterpret_cast<unsigned char*>(mi_strdup(reinterpret_cast<const char*>(text)));
}

unsigned short* mi_wcsdup(const unsigned short* text) {
  if (text == nullptr) return nullptr;
  size_t length = 0;
  while (text[length] != 0) ++length;
  void* const p = mi_malloc((length + 1) * sizeof *text);
  if (p != nullptr) memcpy(p, text, (length + 1) * sizeof *text);
  return static_cast<unsigned short*>(p);
}

int mi_dupenv_s(char** out, size_t* size, const char* name) {
  if (out == nullptr || name == nullptr) return EINVAL;
  if (size != nullptr) *size = 0;
  const char* const value = getenv(name);  // NOLINT(concurrency-mt-unsafe): as the function's own
  *out = value == nullptr ? nullptr : mi_strdup(value);
  if (value != nullptr && *out == nullptr) return ENOMEM;
  if (value != nullptr && size != nullptr) *size = strlen(value);
  return 0;
}

}  // extern "C"
