// An order book: price levels in a map over a pool of fixed capacity, so trading never allocates.
#include <cstdint>
#include <cstdio>
#include <functional>

#include "heapsmith/containers/map.hpp"

namespace {

struct level {
  std::uint32_t quantity;
  std::uint32_t orders;
};

/// All levels of one side lie in one allocation. The next level reuses the slot of an erased one.
template <class Better>
using side = heapsmith::map<std::uint32_t, level, Better, heapsmith::fixed_pool>;

class order_book {
 public:
  explicit order_book(std::size_t levels) : bids_(levels), asks_(levels) {}

  void buy(std::uint32_t price, std::uint32_t quantity) {
    place(bids_, price, match(asks_, quantity, [&](std::uint32_t ask) { return ask <= price; }));
  }
  void sell(std::uint32_t price, std::uint32_t quantity) {
    place(asks_, price, match(bids_, quantity, [&](std::uint32_t bid) { return bid >= price; }));
  }

  [[nodiscard]] std::uint64_t traded() const { return traded_; }
  [[nodiscard]] const side<std::greater<>>& bids() const { return bids_; }
  [[nodiscard]] const side<std::less<>>& asks() const { return asks_; }

 private:
  /// Returns: the quantity that remains after all levels within the limit are used up.
  template <class Levels, class Limit>
  std::uint32_t match(Levels& levels, std::uint32_t quantity, Limit is_good) {
    while (quantity != 0 && !levels.empty()) {
      const auto best = levels.begin();
      const auto [price, there] = *best;
      if (!is_good(price)) break;
      const std::uint32_t taken = quantity < there.quantity ? quantity : there.quantity;
      quantity -= taken;
      there.quantity -= taken;
      traded_ += taken;
      if (there.quantity == 0) levels.erase(best);
    }
    return quantity;
  }

  template <class Levels>
  static void place(Levels& levels, std::uint32_t price, std::uint32_t quantity) {
    if (quantity == 0) return;
    level& there = levels[price];
    there.quantity += quantity;
    ++there.orders;
  }

  side<std::greater<>> bids_;
  side<std::less<>> asks_;
  std::uint64_t traded_ = 0;
};

}  // namespace

int main() {
  order_book book(1000);
  std::uint64_t bought = 0, sold = 0;
  std::uint32_t random = 1;
  for (int i = 0; i < 100000; ++i) {
    random = random * 1664525 + 1013904223;
    const std::uint32_t price = 5000 + (random >> 8) % 400, quantity = 1 + (random >> 20) % 9;
    if (random >> 31) {
      book.buy(price - 20, quantity);
      bought += quantity;
    } else {
      book.sell(price + 20, quantity);
      sold += quantity;
    }
  }

  std::uint64_t waiting_bids = 0, waiting_asks = 0;
  for (const auto [price, l] : book.bids()) waiting_bids += l.quantity;
  for (const auto [price, l] : book.asks()) waiting_asks += l.quantity;
  const bool adds_up =
      bought == book.traded() + waiting_bids && sold == book.traded() + waiting_asks;
  const bool is_crossed = book.bids().min().first >= book.asks().min().first;
  std::printf("every share is traded or open: %s, best bid below best ask: %s\n",
              adds_up ? "yes" : "no", is_crossed ? "no" : "yes");
  return book.bids().check() + book.asks().check();
}
