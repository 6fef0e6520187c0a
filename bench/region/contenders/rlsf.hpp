// Contender rlsf: the Rust crate of this name.
#pragma once

#include "peer.hpp"

namespace bench {

struct rlsf_calls {
  static constexpr const char* name = "rlsf";
  static constexpr auto version = heapsmith_rlsf_version;
  static constexpr auto storage_bytes = heapsmith_rlsf_storage_bytes;
  static constexpr auto init = heapsmith_rlsf_init;
  static constexpr auto allocate = heapsmith_rlsf_allocate;
  static constexpr auto deallocate = heapsmith_rlsf_deallocate;
};

class contender : public peer<rlsf_calls> {
 public:
  using peer::peer;
};

}  // namespace bench
