// A device without an OS: packets of a radio are parsed and wait in queues, all in a region over
// one static buffer. The form of heapsmith needs neither exceptions nor a heap.
#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "heapsmith/small_region.hpp"
#include "measured.hpp"

namespace {

constexpr std::size_t priorities = 4, most_waiting = 64;

// To copy. The linker reserves all memory: if the program fits, it runs.
class heapsmith_form {
  struct packet {
    packet* next;
    std::uint8_t length;
    std::uint8_t bytes[];
  };

 public:
  using message = packet*;

  /// Returns: a message without contents, or nullptr if the buffer is full.
  message begin(std::uint8_t length) {
    auto* const made = static_cast<packet*>(region_.try_allocate(sizeof(packet) + length));
    if (made == nullptr) return nullptr;
    made->next = nullptr;
    made->length = length;
    return made;
  }
  void end(message m) { region_.deallocate(m); }
  static bool is_there(message m) { return m != nullptr; }
  static std::span<std::uint8_t> bytes(message m) { return {m->bytes, m->length}; }

  void push(std::size_t priority, message m) {
    queue& q = queues_[priority];
    (q.first == nullptr ? q.first : q.last->next) = m;
    q.last = m;
  }
  bool empty(std::size_t priority) const { return queues_[priority].first == nullptr; }
  message pop(std::size_t priority) {
    queue& q = queues_[priority];
    return std::exchange(q.first, q.first->next);
  }

 private:
  struct queue {
    packet* first = nullptr;
    packet* last = nullptr;
  };
  alignas(16) static inline unsigned char memory_[8192];
  heapsmith::small_region region_{memory_, sizeof memory_};  // its 512 bytes are the object's
  std::array<queue, priorities> queues_;
};

// The same with the standard library, on a device that has a heap.
class std_form {
 public:
  using message = std::vector<std::uint8_t>;

  static message begin(std::uint8_t length) { return message(length); }
  static void end(message) {}
  static bool is_there(const message& m) { return !m.empty(); }
  static std::span<std::uint8_t> bytes(message& m) { return m; }

  void push(std::size_t priority, message m) { queues_[priority].push_back(std::move(m)); }
  bool empty(std::size_t priority) const { return queues_[priority].empty(); }
  message pop(std::size_t priority) {
    message m = std::move(queues_[priority].front());
    queues_[priority].pop_front();
    return m;
  }

 private:
  std::array<std::deque<message>, priorities> queues_;
};

/// Parses packets byte by byte: 0x7E, priority, length, contents, sum of the contents. If too many
/// messages wait, the oldest one of the lowest priority is dropped.
template <class Queues>
class device {
  using message = typename Queues::message;

 public:
  void receive(std::uint8_t byte) {
    switch (state_) {
      case state::idle:
        if (byte == 0x7e) state_ = state::priority;
        return;
      case state::priority:
        priority_ = byte % priorities;
        state_ = state::length;
        return;
      case state::length:
        if (byte == 0) {
          state_ = state::idle;
          return;
        }
        message_ = queues_.begin(byte);
        state_ = Queues::is_there(message_) ? state::contents : state::idle;
        refused += !Queues::is_there(message_);
        received_ = sum_ = 0;
        return;
      case state::contents: {
        const auto contents = Queues::bytes(message_);
        contents[received_++] = byte;
        sum_ += byte;
        if (received_ == contents.size()) state_ = state::sum;
        return;
      }
      case state::sum:
        state_ = state::idle;
        if (byte != sum_) {
          ++corrupt;
          return queues_.end(std::move(message_));
        }
        queues_.push(priority_, std::move(message_));
        if (++waiting <= most_waiting) return;
        for (std::size_t lowest = 0;; ++lowest) {
          if (queues_.empty(lowest)) continue;
          queues_.end(queues_.pop(lowest));
          --waiting;
          ++dropped;
          return;
        }
    }
  }

  /// Sends the oldest message of the highest priority, if one waits.
  void send() {
    for (std::size_t highest = priorities; highest-- != 0;) {
      if (queues_.empty(highest)) continue;
      message m = queues_.pop(highest);
      for (const std::uint8_t byte : Queues::bytes(m)) checksum = checksum * 31 + byte;
      queues_.end(std::move(m));
      --waiting;
      ++sent;
      return;
    }
  }

  std::uint64_t sent = 0, dropped = 0, corrupt = 0, refused = 0, waiting = 0, checksum = 0;

 private:
  enum class state { idle, priority, length, contents, sum } state_ = state::idle;
  Queues queues_;
  message message_{};
  std::size_t priority_ = 0, received_ = 0;
  std::uint8_t sum_ = 0;
};

/// Packets of up to 60 bytes, a few of them corrupt, come a little faster than they can be sent.
template <class Queues>
example::results run(std::size_t packets) {
  device<Queues> radio;
  std::uint32_t random = 1;
  const auto next = [&] { return (random = random * 1664525 + 1013904223) >> 16; };
  for (std::size_t i = 0; i < packets; ++i) {
    const auto length = static_cast<std::uint8_t>(1 + next() % 60);
    radio.receive(0x7e);
    radio.receive(static_cast<std::uint8_t>(next() % 7));
    radio.receive(length);
    std::uint8_t sum = 0;
    for (unsigned k = 0; k < length; ++k) {
      const auto byte = static_cast<std::uint8_t>(i + k);
      radio.receive(byte);
      sum += byte;
    }
    radio.receive(static_cast<std::uint8_t>(sum + (next() % 100 == 0)));
    if (next() % 20 != 0) radio.send();
  }
  return {{"messages sent", radio.sent},
          {"messages dropped", radio.dropped},
          {"corrupt packets", radio.corrupt},
          {"messages refused", radio.refused},
          {"checksum", radio.checksum}};
}

}  // namespace

int main(int argc, char** argv) {
  return example::main<run<std_form>, run<heapsmith_form>, example::sizes{4'000'000, 20'000}>(
      "embedded-region", argc, argv);
}
