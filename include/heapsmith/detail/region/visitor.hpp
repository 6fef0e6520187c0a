// How the C functions that visit blocks call a C++ function object.
#pragma once

namespace heapsmith::detail {

/// The context of such a call; `call` is the function.
template <class Visit>
class visitor {
 public:
  explicit visitor(Visit& visit) noexcept : visit_(visit) {}

  template <class Block>
  static void call(void* context, const Block* block) {
    static_cast<visitor*>(context)->visit_(*block);
  }

 private:
  Visit& visit_;
};

}  // namespace heapsmith::detail
