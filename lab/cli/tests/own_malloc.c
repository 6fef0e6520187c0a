// An allocator that nobody knows: it bumps a pointer and never reuses memory.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static _Alignas(16) unsigned char memory[64 << 20];
static size_t used;

static void* take(size_t bytes, size_t align) {
  const size_t header = 16;
  size_t start = (__atomic_fetch_add(&used, bytes + align + header, __ATOMIC_RELAXED) + header);
  uintptr_t block = ((uintptr_t)memory + start + align - 1) & ~(uintptr_t)(align - 1);
  memcpy((void*)(block - sizeof bytes), &bytes, sizeof bytes);
  return (void*)block;
}

void* malloc(size_t bytes) {
  return take(bytes, 16);
}
void free(void* block) {
  (void)block;
}
void* calloc(size_t count, size_t bytes) {
  return take(count * bytes, 16);
}
void* aligned_alloc(size_t align, size_t bytes) {
  return take(bytes, align < 16 ? 16 : align);
}
void* memalign(size_t align, size_t bytes) {
  return aligned_alloc(align, bytes);
}

int posix_memalign(void** out, size_t align, size_t bytes) {
  *out = aligned_alloc(align, bytes);
  return 0;
}

void* realloc(void* old, size_t bytes) {
  void* block = take(bytes, 16);
  if (old != NULL) {
    size_t before;
    memcpy(&before, (unsigned char*)old - sizeof before, sizeof before);
    memcpy(block, old, before < bytes ? before : bytes);
  }
  return block;
}
