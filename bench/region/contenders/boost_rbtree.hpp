// Contender boost-rbtree: best fit over a red-black tree from Boost.Interprocess, with raw pointers
// and without a lock, since no other process shares the buffer.
#pragma once

#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>
#include <boost/version.hpp>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>

namespace bench {

class contender {
 public:
  static constexpr const char* name = "boost-rbtree";
  static constexpr bool uses_buffer = true;
  static constexpr bool is_thread_safe = false;

  static std::string version() {
    return std::to_string(BOOST_VERSION / 100000) + "." +
           std::to_string(BOOST_VERSION / 100 % 1000) + "." + std::to_string(BOOST_VERSION % 100);
  }

  // The algorithm keeps its own state at the beginning of the buffer.
  explicit contender(std::span<std::byte> buffer)
      : algorithm_(new(buffer.data()) algorithm(buffer.size(), 0)) {}

  ~contender() { std::destroy_at(algorithm_); }

  contender(const contender&) = delete;
  contender& operator=(const contender&) = delete;

  void* allocate(std::size_t bytes) { return algorithm_->allocate(bytes); }

  void deallocate(void* block, std::size_t) { algorithm_->deallocate(block); }

 private:
  using algorithm =
      boost::interprocess::rbtree_best_fit<boost::interprocess::null_mutex_family, void*>;

  algorithm* algorithm_;
};

}  // namespace bench
