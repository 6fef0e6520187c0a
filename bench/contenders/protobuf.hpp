// Contender protobuf-arena: the arena of Protocol Buffers, which also runs destructors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/common.h>
#include <span>
#include <string>

namespace bench {

struct protobuf_arena {
  static constexpr const char* name = "protobuf-arena";
  static std::string version() {
    return google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION);
  }

  class objects {
   public:
    explicit objects(std::span<std::byte> buffer) : arena_(options(buffer)) {}
    template <class T>
    [[gnu::always_inline]] T* make(std::uint32_t number) {
      return google::protobuf::Arena::Create<T>(&arena_, number);
    }
    /// Runs the destructors and keeps the buffer.
    template <class T>
    void end(std::span<T*>) {
      arena_.Reset();
    }

   private:
    static google::protobuf::ArenaOptions options(std::span<std::byte> buffer) {
      google::protobuf::ArenaOptions chosen;
      chosen.initial_block = reinterpret_cast<char*>(buffer.data());
      chosen.initial_block_size = buffer.size();
      return chosen;
    }

    google::protobuf::Arena arena_;
  };
};

}  // namespace bench
