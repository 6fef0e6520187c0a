// A faulty allocator to preload: every OVERLAP_PERIOD-th block begins inside the block before it.
//
// It is the negative control of the workloads' checks. It cuts blocks one after another from a
// large range and never reuses them, so nothing else can be wrong. The overlap is the smallest
// possible: the last 16 bytes of a block, or as many as the next one's alignment, or less. With
// OVERLAP_PERIOD=0 no blocks overlap.

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/mman.h>

namespace {

constexpr std::size_t granule = 16;
constexpr std::size_t range_bytes = std::size_t{64} << 30;  // address space only

class faulty_range {
 public:
  void* allocate(std::size_t size, std::size_t alignment) {
    const std::lock_guard lock(mutex_);
    if (blocks_ == nullptr) start();
    std::size_t at = (end_ + alignment - 1) / alignment * alignment;
    if (period_ != 0 && ++count_ % period_ == 0 && at > previous_ + alignment) at -= alignment;
    if (size > range_bytes - at) {
      errno = ENOMEM;
      return nullptr;
    }
    previous_ = at;
    end_ = at + (size == 0 ? granule : (size + granule - 1) / granule * granule);
    sizes_[at / granule] = size;
    return blocks_ + at;
  }

  std::size_t size_of(const void* block) {
    const std::lock_guard lock(mutex_);
    return sizes_[static_cast<std::size_t>(static_cast<const char*>(block) - blocks_) / granule];
  }

 private:
  void start() {
    blocks_ = static_cast<char*>(map(range_bytes));
    sizes_ = static_cast<std::size_t*>(map(range_bytes / granule * sizeof(std::size_t)));
    const char* period = std::getenv("OVERLAP_PERIOD");
    period_ = period == nullptr ? 0 : std::strtoul(period, nullptr, 10);
  }

  static void* map(std::size_t bytes) {
    void* got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) std::abort();
    return got;
  }

  std::mutex mutex_;
  char* blocks_ = nullptr;
  std::size_t* sizes_ = nullptr;  // by granule of the block's start
  std::size_t previous_ = 0;
  std::size_t end_ = 0;
  std::size_t count_ = 0;
  std::size_t period_ = 0;
};

constinit faulty_range range;

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  return range.allocate(size, granule);
}

void free(void*) {}

void* calloc(std::size_t count, std::size_t size) {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  void* block = range.allocate(bytes, granule);
  return block == nullptr ? nullptr : std::memset(block, 0, bytes);
}

void* realloc(void* old, std::size_t size) {
  void* block = range.allocate(size, granule);
  if (old == nullptr || block == nullptr) return block;
  const std::size_t kept = range.size_of(old);
  return std::memcpy(block, old, kept < size ? kept : size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return range.allocate(size, alignment < granule ? granule : alignment);
}

void* memalign(std::size_t alignment, std::size_t size) {
  return aligned_alloc(alignment, size);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  *result = aligned_alloc(alignment, size);
  return *result == nullptr ? ENOMEM : 0;
}
}
