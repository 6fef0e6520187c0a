// Decision 0006: what the comparison with the owner costs in free, by what an owner is.
//
// usage: owner_token pointer|heap COUNT, under callgrind: the instructions of `COUNT` frees.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct block {
  block* next;
};
struct alignas(128) record {
  std::atomic<const void*> owner;
  block* free;
  std::uint32_t countdown;
};

char* base;
std::size_t slices;
record* records;
// As the library's: a fixed offset from the thread pointer, which the loader fills in.
[[gnu::tls_model("initial-exec")]] thread_local constinit const void* t_heap = nullptr;

const void* thread_pointer() {
  return __builtin_thread_pointer();
}
const void* heap_address() {
  return t_heap;
}

[[gnu::noinline]] void refuse(void*) {
  abort();
}
[[gnu::noinline]] void event(record* s) {
  s->countdown = 1u << 31;
}

template <const void* (*token)()>
[[gnu::noinline]] void deallocate(void* p) {
  const std::size_t i = static_cast<std::size_t>(static_cast<char*>(p) - base) >> 16;
  if (i >= slices) [[unlikely]]
    return refuse(p);
  record* s = records + i;
  if (s->owner.load(std::memory_order_relaxed) != token()) [[unlikely]]
    return refuse(p);
  auto* b = static_cast<block*>(p);
  if (b == s->free) [[unlikely]]
    return refuse(p);
  b->next = s->free;
  s->free = b;
  if (--s->countdown == 0) [[unlikely]]
    event(s);
}

template <const void* (*token)()>
void run(unsigned long count) {
  records[0].owner = token();
  records[0].countdown = 1u << 31;
  for (unsigned long i = 0; i < count; ++i) deallocate<token>(base + i % 1024 * 64);
  unsigned long n = 0;
  for (const block* b = records[0].free; b != nullptr && n < 1024; b = b->next) ++n;
  printf("%lu blocks on the list\n", n);
  if (n != (count < 1024 ? count : 1024)) abort();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fputs("usage: owner_token pointer|heap COUNT\n", stderr), 2;
  base = static_cast<char*>(aligned_alloc(65536, 65536));
  slices = 1;
  records = new record[1]();
  t_heap = base;  // any address of the thread's own
  const unsigned long count = strtoul(argv[2], nullptr, 10);
  strcmp(argv[1], "heap") == 0 ? run<heap_address>(count) : run<thread_pointer>(count);
}
