// Heaps of mimalloc are first-class heaps. The backing heap of every thread is the process's.
#include <errno.h>

#include "adapt/dialects/mimalloc/requests.hpp"
#include "adapt/dialects/owner.hpp"
#include "heap/first_class.hpp"
#include "heap/purge.hpp"

namespace dialects = heapsmith::dialects;
namespace mimalloc = heapsmith::mimalloc;
using heapsmith::first_class_heap;
using mimalloc::behind, mimalloc::t_default;

namespace {

/// The marks of the handle that made the heap in t_default the default.
thread_local constinit std::uintptr_t t_marks [[gnu::tls_model("initial-exec")]] = 0;

void forget_default(const first_class_heap* f) {
  if (t_default == f) t_default = nullptr;
}

mi_heap_t* make_heap(std::uintptr_t marks) {
  first_class_heap* const f = heapsmith::make_first_class_heap();
  if (f != nullptr) return mimalloc::handle_of(f, marks);
  errno = ENOMEM;
  return nullptr;
}

}  // namespace

extern "C" {

mi_heap_t* mi_heap_new(void) {
  return make_heap(mimalloc::is_ours);
}

mi_heap_t* mi_heap_new_in_arena(int arena) {
  return mi_heap_new_ex(0, false, arena);
}

// Arena 0 stands for any, and no other can be made. The tag is for visitors of abandoned blocks.
mi_heap_t* mi_heap_new_ex(int /*tag*/, bool allow_destroy, int arena) {
  if (arena == 0) return make_heap(allow_destroy ? mimalloc::is_ours : mimalloc::marks);
  errno = ENOMEM;
  return nullptr;
}

void mi_heap_delete(mi_heap_t* heap) {
  first_class_heap* const f = behind(heap);
  if (f == nullptr) return;
  forget_default(f);
  heapsmith::leave_first_class_heap(*f);
}

void mi_heap_destroy(mi_heap_t* heap) {
  if ((reinterpret_cast<std::uintptr_t>(heap) & mimalloc::lives_on) != 0)
    return mi_heap_delete(heap);
  first_class_heap* const f = behind(heap);
  if (f == nullptr) return;
  forget_default(f);
  heapsmith::end_first_class_heap(*f);
}

mi_heap_t* mi_heap_set_default(mi_heap_t* heap) {
  mi_heap_t* const before = mi_heap_get_default();
  t_default = behind(heap);
  t_marks = reinterpret_cast<std::uintptr_t>(heap) & mimalloc::marks;
  return before;
}

mi_heap_t* mi_heap_get_default(void) {
  return mimalloc::handle_of(t_default, t_marks);
}

mi_heap_t* mi_heap_get_backing(void) {
  return mimalloc::backing();
}

void mi_heap_collect(mi_heap_t* /*heap*/, bool force) {
  mi_collect(force);
}

bool mi_heap_contains_block(mi_heap_t* heap, const void* p) {
  const dialects::owner at = dialects::owner_of(p);
  return at.is_ours && at.account == behind(heap);
}

bool mi_heap_check_owned(mi_heap_t* heap, const void* p) {
  return mi_heap_contains_block(heap, p);
}

bool mi_check_owned(const void* p) {
  return mi_heap_contains_block(mi_heap_get_default(), p);
}

bool mi_is_in_heap_region(const void* p) {
  return dialects::owner_of(p).is_ours;
}

// Blocks that another thread has freed and not yet sent home cannot be told from live ones.
bool mi_heap_visit_blocks(const mi_heap_t* /*heap*/, bool /*all_blocks*/,
                          mi_block_visit_fun* /*visitor*/, void* /*with*/) {
  return false;
}

}  // extern "C"
