// Watches the large blocks, and asks the kernel about their pages.
#include "record/resident.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/confine.hpp"
#include "record/statm.hpp"

namespace heapsmith::recorder {

constinit large_blocks large = {};

void large_blocks::add(std::uintptr_t p, std::size_t bytes) {
  const unsigned set = set_of(p);
  for (unsigned way = 0; way < ways; ++way) {
    std::uintptr_t none = 0;
    // relaxed: nothing was read from the place. The bytes are stored before the address.
    if (!addresses_[set][way].compare_exchange_strong(none, taken, relaxed)) continue;
    bytes_[set][way].store(bytes, relaxed);
    addresses_[set][way].store(p, release);  // pairs with for_each()
    used_[set].fetch_add(1, relaxed);        // relaxed: see remove()
    return;
  }
}

std::size_t large_blocks::remove_from(unsigned set, std::uintptr_t p) {
  for (unsigned way = 0; way < ways; ++way) {
    if (addresses_[set][way].load(relaxed) != p) continue;  // relaxed: see remove()
    const std::size_t bytes = bytes_[set][way].load(relaxed);
    addresses_[set][way].store(0, relaxed);  // add() reads nothing that was written here
    used_[set].fetch_sub(1, relaxed);
    return bytes;
  }
  return 0;
}

std::size_t resident_bytes(std::uintptr_t p, std::size_t bytes) {
  constexpr std::size_t pages_a_part = 256;
  constexpr std::size_t most_parts = 64;
  const kernel_calls calls;
  if (!calls.may_call() || !may_make_unusual_calls()) return bytes;
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t from = p / page * page;
  const std::size_t pages = (p + bytes - from + page - 1) / page;
  const std::size_t parts = (pages + pages_a_part - 1) / pages_a_part;
  const std::size_t looks = parts < most_parts ? parts : most_parts;
  std::size_t seen = 0, resident = 0;
  for (std::size_t i = 0; i < looks; ++i) {  // most_parts
    const std::size_t first = parts * i / looks * pages_a_part;
    const std::size_t n = pages - first < pages_a_part ? pages - first : pages_a_part;
    unsigned char there[pages_a_part];
    if (mincore(reinterpret_cast<void*>(from + first * page), n * page, there) != 0) return bytes;
    for (std::size_t k = 0; k < n; ++k) resident += there[k] & 1;
    seen += n;
  }
  if (seen == 0) return 0;
  const std::size_t found = resident * pages / seen * page;
  return found < bytes ? found : bytes;
}

std::uint64_t anonymous_bytes() {
  const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const std::uint64_t bytes = lab::anonymous_bytes(fd);
  close(fd);
  return bytes;
}

}  // namespace heapsmith::recorder
