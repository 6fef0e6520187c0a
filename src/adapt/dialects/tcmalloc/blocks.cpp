// tc_malloc and its kin: malloc's family and operator new under gperftools' names.
#include <cstdint>

#include "adapt/dialects/jemalloc/functions.h"
#include "adapt/dialects/tcmalloc/functions.h"
#include "adapt/override/new_handler.hpp"
#include "adapt/surface.hpp"
#include "heapsmith/heapsmith.h"

namespace hs = heapsmith;
namespace surface = heapsmith::surface;
using std::align_val_t;
using std::nothrow_t;

namespace {

size_t number(align_val_t alignment) {
  return static_cast<size_t>(alignment);
}

void* make(size_t size) {
  void* const p = surface::malloc(size);
  return p != nullptr ? p : hs::new_or_throw(size, 1);
}
void* make(size_t size, align_val_t alignment) {
  void* const p = hs::allocate_aligned(size, number(alignment));
  return p != nullptr ? p : hs::new_or_throw(size, number(alignment));
}
void* try_make(size_t size, size_t align) {
  void* const p = hs::allocate_aligned(size, align);
  return p != nullptr ? p : hs::new_or_null(size, align);
}

}  // namespace

extern "C" {

const char* tc_version(int* major, int* minor, const char** patch) {
  if (major != nullptr) *major = 2;
  if (minor != nullptr) *minor = 10;
  if (patch != nullptr) *patch = "";
  return "gperftools 2.10";
}

void* tc_malloc(size_t size) {
  return surface::malloc(size);
}
void* tc_malloc_skip_new_handler(size_t size) {
  return surface::malloc(size);
}
void tc_free(void* p) {
  surface::free(p);
}
void tc_free_sized(void* p, size_t size) {
  surface::require_size(p, size);
  surface::free(p);
}
void tc_free_aligned_sized(void* p, size_t /*alignment*/, size_t size) {
  tc_free_sized(p, size);
}
void* tc_realloc(void* p, size_t size) {
  return surface::realloc(p, size, hs::foreign);
}
void* tc_calloc(size_t count, size_t size) {
  return surface::calloc(count, size);
}
void tc_cfree(void* p) {
  surface::free(p);
}
void* tc_memalign(size_t alignment, size_t size) {
  return surface::memalign(alignment, size);
}
int tc_posix_memalign(void** out, size_t alignment, size_t size) {
  return surface::posix_memalign(out, alignment, size);
}
void* tc_valloc(size_t size) {
  return surface::valloc(size);
}
void* tc_pvalloc(size_t size) {
  return surface::pvalloc(size);
}
void tc_malloc_stats(void) {
  hs_malloc_stats();
}
int tc_mallopt(int parameter, int value) {
  return hs_mallopt(parameter, value);
}
#ifdef __GLIBC__  // other C libraries have no such type
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
struct mallinfo tc_mallinfo(void) {
  return mallinfo();  // NOLINT(concurrency-mt-unsafe): it is ours
}
#pragma GCC diagnostic pop
struct mallinfo2 tc_mallinfo2(void) {
  return mallinfo2();  // NOLINT(concurrency-mt-unsafe): it is ours
}
#endif
size_t tc_malloc_size(void* p) {
  return hs::usable_bytes(p, hs::foreign);
}
size_t tc_nallocx(size_t size, int flags) {
  return nallocx(size, flags);
}

// tc_malloc never calls the new_handler.
int tc_set_new_mode(int /*mode*/) {
  return 0;
}
int tc_query_new_mode(void) {
  return 0;
}

void* tc_new(size_t size) {
  return make(size);
}
void* tc_newarray(size_t size) {
  return make(size);
}
void* tc_new_nothrow(size_t size, const nothrow_t& /*tag*/) {
  return try_make(size, 1);
}
void* tc_newarray_nothrow(size_t size, const nothrow_t& /*tag*/) {
  return try_make(size, 1);
}
void* tc_new_aligned(size_t size, align_val_t alignment) {
  return make(size, alignment);
}
void* tc_newarray_aligned(size_t size, align_val_t alignment) {
  return make(size, alignment);
}
void* tc_new_aligned_nothrow(size_t size, align_val_t alignment, const nothrow_t& /*tag*/) {
  return try_make(size, number(alignment));
}
void* tc_newarray_aligned_nothrow(size_t size, align_val_t alignment, const nothrow_t& /*tag*/) {
  return try_make(size, number(alignment));
}

void tc_delete(void* p) {
  surface::free(p);
}
void tc_deletearray(void* p) {
  surface::free(p);
}
void tc_delete_sized(void* p, size_t size) {
  tc_free_sized(p, size);
}
void tc_deletearray_sized(void* p, size_t size) {
  tc_free_sized(p, size);
}
void tc_delete_nothrow(void* p, const nothrow_t& /*tag*/) {
  surface::free(p);
}
void tc_deletearray_nothrow(void* p, const nothrow_t& /*tag*/) {
  surface::free(p);
}
void tc_delete_aligned(void* p, align_val_t /*alignment*/) {
  surface::free(p);
}
void tc_deletearray_aligned(void* p, align_val_t /*alignment*/) {
  surface::free(p);
}
void tc_delete_sized_aligned(void* p, size_t size, align_val_t /*alignment*/) {
  tc_free_sized(p, size);
}
void tc_deletearray_sized_aligned(void* p, size_t size, align_val_t /*alignment*/) {
  tc_free_sized(p, size);
}
void tc_delete_aligned_nothrow(void* p, align_val_t /*alignment*/, const nothrow_t& /*tag*/) {
  surface::free(p);
}
void tc_deletearray_aligned_nothrow(void* p, align_val_t /*alignment*/, const nothrow_t& /*tag*/) {
  surface::free(p);
}

}  // extern "C"
