// The C API of shared regions. Each call takes the segment's lock, or reports why it cannot.
#define HEAPSMITH_BUILDING
#include "heapsmith/shared_region.h"

#include <errno.h>
#include <string.h>

#include <algorithm>
#include <bit>

#include "adapt/region_stats.hpp"
#include "adapt/stats.hpp"
#include "os/diagnose.hpp"
#include "region/audit.hpp"
#include "region/shared_segment.hpp"

namespace {

namespace regions = heapsmith::regions;
using regions::shared_segment;

static_assert(sizeof(shared_segment) <= HS_SHARED_REGION_CONTROL_BYTES);
static_assert(HS_SHARED_REGION_ROOTS == regions::shared_roots);

shared_segment& of(const hs_shared_region* region) {
  return *static_cast<shared_segment*>(region->segment);
}

/// Returns: f(segment), called under the lock, or the error that kept us from the lock.
template <class F>
int done_under_lock(const hs_shared_region* region, F f) {
  if (region->segment == nullptr) return EINVAL;
  const shared_segment::holder holder(of(region));
  return holder.error() != 0 ? holder.error() : f(of(region));
}

/// The same for functions that return a count or a pointer: an error is set in errno, and
/// `otherwise` is returned.
template <class Result, class F>
Result locked(const hs_shared_region* region, Result otherwise, F f) {
  if (region->segment == nullptr) return errno = EINVAL, otherwise;
  const shared_segment::holder holder(of(region));
  if (holder.error() != 0) return errno = holder.error(), otherwise;
  return f(of(region));
}

template <class T>
T* invalid() {
  errno = EINVAL;
  return nullptr;
}

bool is_possible(const hs_shared_region* region, size_t alignment) {
  return std::has_single_bit(alignment) &&
         reinterpret_cast<uintptr_t>(region->segment) % alignment == 0;
}

void* allocate(const hs_shared_region* region, size_t alignment, size_t size) {
  if (size == 0) return nullptr;
  return locked<void*>(region, nullptr,
                       [&](shared_segment& s) { return s.allocate(alignment, size); });
}

/// Copies the contents without holding the lock: both blocks are the caller's.
void* move(const hs_shared_region* region, void* p, size_t usable, size_t alignment, size_t size) {
  void* const q = allocate(region, alignment, size);
  if (q == nullptr) return nullptr;
  memcpy(q, p, std::min(usable, size));
  hs_shared_region_free(region, p);
  return q;
}

void* reallocate(const hs_shared_region* region, void* p, size_t alignment, size_t size) {
  if (p == nullptr) return allocate(region, alignment, size);
  if (size == 0) {
    if (const int error = hs_shared_region_free(region, p); error != 0) errno = error;
    return nullptr;
  }
  size_t usable = 0;
  const int in_place = locked(region, -1, [&](shared_segment& s) {
    usable = s.blocks().usable_size("shared_region_realloc", p);
    const bool is_aligned = reinterpret_cast<uintptr_t>(p) % alignment == 0;
    return is_aligned && s.blocks().try_resize(p, size) ? 1 : 0;
  });
  if (in_place < 0) return nullptr;
  return in_place == 1 ? p : move(region, p, usable, alignment, size);
}

}  // namespace

extern "C" {

int hs_shared_region_create(hs_shared_region* region, void* segment, size_t bytes) {
  const int error = shared_segment::create(segment, bytes);
  if (error == 0) region->segment = segment;
  return error;
}
int hs_shared_region_attach(hs_shared_region* region, void* segment, size_t bytes) {
  const int error = shared_segment::attach(segment, bytes, false);
  if (error == 0) region->segment = segment;
  return error;
}
int hs_shared_region_attach_alone(hs_shared_region* region, void* segment, size_t bytes) {
  const int error = shared_segment::attach(segment, bytes, true);
  if (error == 0) region->segment = segment;
  return error;
}

const char* hs_shared_region_error(int error) {
  switch (error) {
    case 0:
      return "";
    case EINVAL:
      return "the segment is null, misaligned or too small";
    case EEXIST:
      return "the segment already holds a shared region";
    case ENODATA:
      return "the segment holds no shared region, or none yet";
    case EPROTO:
      return "an incompatible version made the shared region";
    case EBADMSG:
      return "the control block of the shared region was overwritten";
    case ERANGE:
      return "the mapping is shorter than the shared region";
    case ENOTRECOVERABLE:
      return "the blocks of the shared region were overwritten";
    case ENOMEM:
      return "no free part of the shared region is large enough";
    case EDEADLK:
      return "the caller is a visitor of the blocks of the shared region";
    default:
      return "the lock of the shared region cannot be taken";
  }
}

void hs_shared_region_detach(hs_shared_region* region) {
  region->segment = nullptr;
}
void hs_shared_region_destroy(hs_shared_region* region) {
  if (region->segment != nullptr) of(region).destroy();
  region->segment = nullptr;
}

void* hs_shared_region_malloc(const hs_shared_region* region, size_t size) {
  return allocate(region, 1, size);
}
void* hs_shared_region_calloc(const hs_shared_region* region, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;  // which fails
  void* const p = allocate(region, 1, bytes);
  return p == nullptr ? nullptr : memset(p, 0, bytes);
}
void* hs_shared_region_aligned_alloc(const hs_shared_region* region, size_t alignment,
                                     size_t size) {
  return is_possible(region, alignment) ? allocate(region, alignment, size) : invalid<void>();
}

int hs_shared_region_free(const hs_shared_region* region, void* p) {
  if (p == nullptr) return 0;
  if (region->segment == nullptr)
    heapsmith::os::abort_misuse("shared_region_free", p, regions::foreign_pointer);
  return done_under_lock(region, [&](shared_segment& s) { return s.deallocate(p), 0; });
}

void* hs_shared_region_realloc(const hs_shared_region* region, void* p, size_t size) {
  return reallocate(region, p, 1, size);
}
void* hs_shared_region_aligned_realloc(const hs_shared_region* region, void* p, size_t alignment,
                                       size_t size) {
  return is_possible(region, alignment) ? reallocate(region, p, alignment, size) : invalid<void>();
}
int hs_shared_region_try_expand(const hs_shared_region* region, void* p, size_t size) {
  if (p == nullptr) return ENOMEM;
  return done_under_lock(
      region, [&](shared_segment& s) { return s.blocks().try_resize(p, size) ? 0 : ENOMEM; });
}

size_t hs_shared_region_usable_size(const hs_shared_region* region, const void* p) {
  if (p == nullptr) return 0;
  return locked(region, size_t{0}, [&](shared_segment& s) {
    return s.blocks().usable_size("shared_region_usable_size", p);
  });
}
int hs_shared_region_owns(const hs_shared_region* region, const void* p) {
  return region->segment != nullptr && of(region).owns(p) ? 1 : 0;
}

uint64_t hs_shared_region_to_offset(const hs_shared_region* region, const void* p) {
  return p == nullptr
             ? 0
             : reinterpret_cast<uintptr_t>(p) - reinterpret_cast<uintptr_t>(region->segment);
}
void* hs_shared_region_from_offset(const hs_shared_region* region, uint64_t offset) {
  if (offset < sizeof(shared_segment) || offset >= of(region).bytes()) return nullptr;
  return static_cast<char*>(region->segment) + offset;
}

void hs_shared_region_set_root(const hs_shared_region* region, unsigned index, const void* p) {
  // release pairs with the acquire in hs_shared_region_root: the reader sees what is in the block.
  of(region).root(index).store(hs_shared_region_to_offset(region, p), heapsmith::release);
}
void* hs_shared_region_root(const hs_shared_region* region, unsigned index) {
  // acquire pairs with the releases of set_root and replace_root.
  return hs_shared_region_from_offset(region, of(region).root(index).load(heapsmith::acquire));
}
int hs_shared_region_replace_root(const hs_shared_region* region, unsigned index,
                                  const void* expected, const void* p) {
  uint64_t seen = hs_shared_region_to_offset(region, expected);
  // Pairs as set_root and root do. A caller that fails reads the root again.
  return of(region).root(index).compare_exchange_strong(seen, hs_shared_region_to_offset(region, p),
                                                        heapsmith::acq_rel, heapsmith::acquire)
             ? 0
             : EAGAIN;
}

int hs_shared_region_reset(const hs_shared_region* region) {
  return done_under_lock(region, [](shared_segment& s) { return s.reset(), 0; });
}
size_t hs_shared_region_defragment(const hs_shared_region* region) {
  return locked(region, size_t{0}, [](shared_segment& s) { return s.blocks().defragment(); });
}

int hs_shared_region_stats(const hs_shared_region* region, hs_region_statistics* out) {
  if (!heapsmith::surface::can_take_stats(out)) return EINVAL;
  return done_under_lock(region, [&](shared_segment& s) {
    return heapsmith::surface::give_stats(
        regions::shown(s.blocks().measure(), sizeof(shared_segment)), out);
  });
}
uint64_t hs_shared_region_recoveries(const hs_shared_region* region) {
  return of(region).recoveries();
}

int hs_shared_region_for_each_block(const hs_shared_region* region,
                                    void (*visit)(void*, const hs_region_block*), void* context) {
  if (region->segment == nullptr) return EINVAL;
  shared_segment::holder holder(of(region));
  if (holder.error() != 0) return holder.error();
  holder.expect_fork();
  of(region).blocks().for_each_block([&](void* payload, regions::block_info i) {
    const hs_region_block block = regions::shown(payload, i);
    visit(context, &block);
  });
  return 0;
}
int hs_shared_region_check(const hs_shared_region* region) {
  return locked(region, -1, [](shared_segment& s) { return static_cast<int>(s.blocks().check()); });
}

}  // extern "C"
