// advice-pool: an order book. Orders of one size enter the list of their price, and random ones
// leave it. Lives are random, so that neither a scope nor an arena fits. The advice "use a pool" is
// right.
//
// advice-pool-sizes must not get the advice. The same line makes the orders, but each has a note
// behind it, so that blocks have all sizes up to 4 KiB. A pool keeps pieces for each size class,
// and a free list of one size serves few of them.

#include "advice.hpp"
#include "heapsmith/pool_resource.hpp"

namespace {

using lab::advice::hidden;
using lab::advice::is_counterpart;

constexpr double packet_count = is_counterpart ? 110e3 : 300e3;
constexpr unsigned orders_per_packet = 64;
constexpr unsigned price_count = 512;
constexpr unsigned standing_count = 2000;  // orders in the book between two packets
constexpr unsigned longest_note = 4000;

struct order {
  order* previous;
  order* next;
  std::uint32_t price;
  std::uint32_t place;  // in the table of all orders
  std::uint64_t quantity;
  std::uint32_t note_bytes;
  char client[100];

  std::size_t bytes() const { return sizeof(order) + note_bytes; }
};

template <bool Advised>
class book {
 public:
  book() : orders_(standing_count + orders_per_packet) {
    while (count_ < standing_count) add();
  }

  void take_packet() {
    const std::uint32_t added = 1 + random_.below(orders_per_packet);
    for (std::uint32_t i = 0; i < added; ++i) add();
    for (std::uint32_t i = 0; i < added; ++i) remove(orders_[random_.below(count_)]);
  }

  std::uint64_t finish() {
    while (count_ != 0) remove(orders_[count_ - 1]);
    return sum_;
  }

 private:
  // Not inlined, so that the program has one call of malloc for all orders.
  [[gnu::noinline]] void add() {
    const std::uint64_t word = random_.word();
    const std::uint32_t note_bytes = is_counterpart ? word % longest_note : 0;
    const std::size_t bytes = sizeof(order) + note_bytes;
    void* block;
    if constexpr (Advised)
      block = pool_.allocate(bytes, alignof(order));
    else
      block = std::malloc(bytes);
    order* const made = new (hidden(block)) order;
    made->price = (word >> 32) % price_count;
    made->place = count_;
    made->quantity = word >> 40;
    made->note_bytes = note_bytes;
    std::memset(made->client, static_cast<char>(word), sizeof made->client);
    // The newest order of a price is the first of its list.
    order*& first = prices_[made->price];
    made->previous = nullptr;
    made->next = first;
    if (first != nullptr) first->previous = made;
    first = made;
    orders_[count_++] = made;
  }

  void remove(order* old) {
    sum_ = sum_ * 31 + old->quantity + static_cast<unsigned char>(old->client[old->quantity % 100]);
    (old->previous != nullptr ? old->previous->next : prices_[old->price]) = old->next;
    if (old->next != nullptr) old->next->previous = old->previous;
    order* const last = orders_[--count_];
    orders_[old->place] = last;
    last->place = old->place;
    if constexpr (Advised)
      pool_.deallocate(old, old->bytes(), alignof(order));
    else
      std::free(old);
  }

  lab::random_source random_{0};
  std::vector<order*> orders_;
  std::uint32_t count_ = 0;
  order* prices_[price_count] = {};
  heapsmith::unsynchronized_pool<> pool_;
  std::uint64_t sum_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return lab::advice::demonstrate(argc, argv, packet_count,
                                  [](auto advised, std::uint64_t packets) {
                                    book<advised> orders;
                                    for (; packets != 0; --packets) orders.take_packet();
                                    return orders.finish();
                                  });
}
