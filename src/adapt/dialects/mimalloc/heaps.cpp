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

mi_heap_t* handle_of(first_class_heap* f) {
  return f == nullptr ? mimalloc::backing() : reinterpret_cast<mi_heap_t*>(f);
}

void forget_default(const first_class_heap* f) {
  if (t_default == f) t_default = nullptr;
}

}  // namespace

extern "C" {

mi_heap_t* mi_heap_new(void) {
  first_class_heap* const f = heapsmith::make_first_class_heap();
  if (f == nullptr) errno = ENOMEM;
  return reinterpret_cast<mi_heap_t*>(f);
}

void mi_heap_delete(mi_heap_t* heap) {
  first_class_heap* const f = heap == nullptr ? nullptr : behind(heap);
  if (f == nullptr) return;
  forget_default(f);
  heapsmith::leave_first_class_heap(*f);
}

void mi_heap_destroy(mi_heap_t* heap) {
  first_class_heap* const f = heap == nullptr ? nullptr : behind(heap);
  if (f == nullptr) return;
  forget_default(f);
  heapsmith::end_first_class_heap(*f);
}

mi_heap_t* mi_heap_set_default(mi_heap_t* heap) {
  mi_heap_t* const before = handle_of(t_default);
  t_default = behind(heap);
  return before;
}

mi_heap_t* mi_heap_get_default(void) {
  return handle_of(t_default);
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
