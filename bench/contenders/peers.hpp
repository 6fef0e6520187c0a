// The peers of typed pools and containers: std, std-heapsmith, boost-pool and absl-btree; and the
// blocks of their nodes.
#pragma once

#include <absl/base/config.h>
#include <boost/pool/pool.hpp>
#include <boost/version.hpp>
#include <cstddef>
#include <new>
#include <string>

#include "contenders/new.hpp"

namespace bench {

struct standard_containers {
  static constexpr const char* name = "std";
  static std::string version() { return std::to_string(__GLIBCXX__); }
};

/// The same with heapsmith preloaded.
struct standard_on_heapsmith {
  static constexpr const char* name = "std-heapsmith";
  static std::string version() { return new_heapsmith::version(); }
};

struct boost_pool {
  static constexpr const char* name = "boost-pool";
  static std::string version() { return BOOST_LIB_VERSION; }
};

struct absl_btree {
  static constexpr const char* name = "absl-btree";
  static std::string version() { return std::to_string(ABSL_LTS_RELEASE_VERSION); }
};

/// Blocks of one size from operator new.
class new_blocks {
 public:
  explicit new_blocks(std::size_t bytes) : bytes_(bytes) {}
  void* allocate() const { return ::operator new(bytes_); }
  void deallocate(void* block) const { ::operator delete(block, bytes_); }

 private:
  std::size_t bytes_;
};

/// Blocks of boost::pool, unordered. object_pool is built on it, but its free() searches all free
/// blocks for the position of the block.
class boost_blocks {
 public:
  explicit boost_blocks(std::size_t bytes) : pool_(bytes) {}
  void* allocate() {
    void* const block = pool_.malloc();
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
  void deallocate(void* block) { pool_.free(block); }

 private:
  boost::pool<> pool_;
};

}  // namespace bench
