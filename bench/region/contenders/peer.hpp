// Contenders rlsf and talc: the Rust crates behind the C ABI of bench/peers.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "support/report.hpp"

#define HS_DECLARE_PEER(NAME)                                                                      \
  const char* heapsmith_##NAME##_version();                                                        \
  std::size_t heapsmith_##NAME##_storage_bytes();                                                  \
  bool heapsmith_##NAME##_init(void* storage, void* buffer, std::size_t bytes);                    \
  void* heapsmith_##NAME##_allocate(void* peer, std::size_t size, std::size_t align);              \
  void heapsmith_##NAME##_deallocate(void* peer, void* block, std::size_t size, std::size_t align)

extern "C" {
HS_DECLARE_PEER(rlsf);
HS_DECLARE_PEER(talc);
}

#undef HS_DECLARE_PEER

namespace bench {

// `Calls` holds the functions of one peer as static constants.
template <class Calls>
class peer {
 public:
  static constexpr const char* name = Calls::name;
  static constexpr bool uses_buffer = true;
  static constexpr bool is_thread_safe = false;

  static std::string version() { return Calls::version(); }

  explicit peer(std::span<std::byte> buffer) {
    expect(Calls::storage_bytes() <= sizeof storage_, "the peer needs more storage");
    expect(Calls::init(storage_, buffer.data(), buffer.size()), "the peer refuses the buffer");
  }

  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;

  void* allocate(std::size_t bytes) { return Calls::allocate(storage_, bytes, 16); }

  void deallocate(void* block, std::size_t bytes) { Calls::deallocate(storage_, block, bytes, 16); }

 private:
  alignas(64) std::byte storage_[8192];
};

}  // namespace bench
