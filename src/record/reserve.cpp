// Mappings of a file outlive every way to it: another root, another user, closed descriptors. They
// grow by mremap, which needs none of these.
#include "record/reserve.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace heapsmith::recorder {
namespace {

/// 16 MiB: some four million events. Behind a filter, that is all.
constexpr std::uint32_t blocks_a_reserve = 256;
constexpr std::uint64_t most_sparse = std::uint64_t{64} << 30;

constinit atomic<bool> is_locked{false};
// All under the lock.
constinit unsigned char* base = nullptr;
constinit std::uint32_t first = 0, count = 0, used = 0;
constinit std::uint32_t end_of_file = 0;  // in blocks, which may be mapped
constinit bool has_room = false;          // the bytes of the reserve are there

/// A thread holds it for some calls of the kernel, once in 64 KiB of events.
class reserve_lock {
 public:
  reserve_lock() {
    // acquire and release: the other holders' writes are seen. No yield: it is a system call.
    while (is_locked.exchange(true, acquire)) {
    }
  }
  ~reserve_lock() { is_locked.store(false, release); }
  reserve_lock(const reserve_lock&) = delete;
  reserve_lock& operator=(const reserve_lock&) = delete;
};

bool extend_locked(file_header& h) {
  const std::uint32_t from = h.blocks.fetch_add(blocks_a_reserve, relaxed);  // as in claim_block()
  if (from >= end_of_file || end_of_file - from < blocks_a_reserve) {
    errno = EFBIG;
    return false;
  }
  // From the nearest part that is mapped: the mapping has the bytes between for a moment.
  void* const source = count != 0 ? static_cast<void*>(base) : &h;
  const std::uint32_t at = count != 0 ? first : 0;
  void* p = map_behind(source, std::uint64_t{from - at} * block_bytes,
                       std::size_t{blocks_a_reserve} * block_bytes);
  if (p == nullptr) return false;
  base = static_cast<unsigned char*>(p);
  first = from;
  count = blocks_a_reserve;
  used = 0;
  has_room = false;
  return true;
}

bool begin_with_file_locked(file_header& h, int fd, confinement to) {
  const std::uint32_t from = h.blocks.fetch_add(blocks_a_reserve, relaxed);  // as in claim_block()
  const auto at = static_cast<off_t>(from) * static_cast<off_t>(block_bytes);
  constexpr std::size_t bytes = std::size_t{blocks_a_reserve} * block_bytes;
  const auto end = static_cast<std::uint64_t>(at) + bytes;
  if (to == confinement::jailed) {
    const std::uint64_t whole = make_sparse(fd, end, most_sparse > end ? most_sparse : end);
    end_of_file = static_cast<std::uint32_t>(whole / block_bytes);
  }
  // Kernels before 5.14 cannot populate, so the disk's bytes are taken now.
  if (to == confinement::filtered || !populate(&h, 4096)) {
    rlimit most;
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && end > most.rlim_cur) return errno = EFBIG, false;
    if ((errno = posix_fallocate(fd, at, static_cast<off_t>(bytes))) != 0) return false;
    has_room = true;
  } else if (end_of_file < from + blocks_a_reserve) {
    return errno = EFBIG, false;
  }
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
  if (p == MAP_FAILED) return false;
  base = static_cast<unsigned char*>(p);
  first = from;
  count = blocks_a_reserve;
  used = 0;
  return true;
}

}  // namespace

void* map_behind(void* from, std::uint64_t at, std::size_t bytes) {
  // An old size of zero copies a shared mapping.
  void* p = mremap(from, 0, at + bytes, MREMAP_MAYMOVE);
  if (p == MAP_FAILED) return nullptr;
  if (at != 0) munmap(p, at);
  return static_cast<unsigned char*>(p) + at;
}

bool populate(void* from, std::size_t bytes) {
#if defined(MADV_POPULATE_WRITE)
  constexpr int advice = MADV_POPULATE_WRITE;
#else
  constexpr int advice = 23;
#endif
  if (madvise(from, bytes, advice) == 0) return true;
  if (errno == EFAULT) errno = ENOSPC;  // what would have been a SIGBUS
  return false;
}

std::uint64_t make_sparse(int fd, std::uint64_t least, std::uint64_t most) {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) limit.rlim_cur = RLIM_INFINITY;
  for (std::uint64_t bytes = most; bytes >= least; bytes /= 4)
    if (bytes <= limit.rlim_cur && ftruncate(fd, static_cast<off_t>(bytes)) == 0) return bytes;
  return 0;
}

bool make_reserve(file_header& h, int fd, confinement to) {
  const reserve_lock lock;
  if (fd >= 0) return begin_with_file_locked(h, fd, to);
  if (count - used < blocks_a_reserve / 2 && !extend_locked(h) && count == used) return false;
  const std::size_t at = std::size_t{used} * block_bytes;
  has_room = has_room || populate(base + at, std::size_t{count - used} * block_bytes);
  return has_room;
}

void use_segment(std::uint32_t blocks) {
  const reserve_lock lock;
  end_of_file = blocks;
  first = count = used = 0;
  has_room = false;
}

void* claim_reserved(file_header& h, std::uint32_t& index) {
  const reserve_lock lock;
  const bool is_filtered = is_confined_to(confinement::filtered);
  if (used == count && (is_filtered || !extend_locked(h))) {
    if (is_filtered) errno = static_cast<int>(error_behind_filter);
    return nullptr;
  }
  unsigned char* const p = base + std::size_t{used} * block_bytes;
  if (!has_room && (is_filtered || !populate(p, block_bytes))) return nullptr;
  index = first + used++;
  return p;
}

void forget_reserve() {
  is_locked.store(false, relaxed);  // relaxed: the child has one thread
  base = nullptr;
  first = count = used = end_of_file = 0;
  has_room = false;
}

}  // namespace heapsmith::recorder
