// Contender talc: the Rust crate of this name.
#pragma once

#include "peer.hpp"

namespace bench {

struct talc_calls {
  static constexpr const char* name = "talc";
  static constexpr auto version = heapsmith_talc_version;
  static constexpr auto storage_bytes = heapsmith_talc_storage_bytes;
  static constexpr auto init = heapsmith_talc_init;
  static constexpr auto allocate = heapsmith_talc_allocate;
  static constexpr auto deallocate = heapsmith_talc_deallocate;
};

class contender : public peer<talc_calls> {
 public:
  using peer::peer;
};

}  // namespace bench
