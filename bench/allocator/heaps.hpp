// Contenders heap and global_heap: a first-class heap, and heapsmith's heap for the whole process,
// in a process whose malloc is glibc's.
#pragma once

#include <cstddef>
#include <string>

#include "heapsmith/heap.hpp"
#include "support/report.hpp"

namespace bench {

struct first_class_heap {
  static constexpr const char* name = "heap";
  static std::string version() { return hs_version(); }

  class blocks {
   public:
    void* allocate(std::size_t bytes) { return heap_.allocate(bytes); }
    void deallocate(void* block, std::size_t bytes) { heap_.deallocate(block, bytes); }

    void end_all() { heap_.reset(); }
    void expect_none() const { expect(heap_.stats().held_bytes == 0, "the heap holds memory"); }

   private:
    heapsmith::heap heap_;
  };
};

struct global_heap {
  static constexpr const char* name = "global_heap";
  static std::string version() { return hs_version(); }

  class blocks {
   public:
    void* allocate(std::size_t bytes) { return heap_.allocate(bytes); }
    void deallocate(void* block, std::size_t bytes) { heap_.deallocate(block, bytes); }

   private:
    heapsmith::global_heap heap_;
  };
};

}  // namespace bench
