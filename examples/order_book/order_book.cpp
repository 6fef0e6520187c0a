// An order book: the orders lie in a pool of fixed capacity, so trading never allocates. The
// program counts allocations to prove it.
#include <array>
#include <cstdint>
#include <list>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "counted_new.hpp"
#include "heapsmith/pool.hpp"
#include "measured.hpp"

namespace {

constexpr std::uint32_t ticks = 4096;  // prices are below
constexpr std::size_t most_orders = 1 << 14;

// To copy: all orders in one block, in a queue for each price. A client keeps a handle, so
// cancelling an order that was traded away is detected.
class heapsmith_form {
  struct order {
    std::uint32_t price, quantity, before, after;
  };
  using pool = heapsmith::fixed_pool<order, heapsmith::policy::with_handles>;

 public:
  using name = heapsmith::handle<order>;

  name add(std::uint32_t price, std::uint32_t quantity) {
    queue& at = queues_[price];
    const name added = orders_.emplace_handle(order{price, quantity, at.last, none});
    (at.last == none ? at.first : orders_[at.last].after) = added.index();
    at.last = added.index();
    return added;
  }
  bool cancel(name n) {
    if (!orders_.contains(n)) return false;
    end(n.index());
    return true;
  }
  bool empty(std::uint32_t price) const { return queues_[price].first == none; }
  std::uint32_t& first_quantity(std::uint32_t price) {
    return orders_[queues_[price].first].quantity;
  }
  void end_first(std::uint32_t price) { end(queues_[price].first); }
  std::size_t size() const { return orders_.size(); }

 private:
  static constexpr std::uint32_t none = ~0u;
  struct queue {
    std::uint32_t first = none, last = none;
  };

  void end(std::uint32_t i) {
    const auto [price, quantity, before, after] = orders_[i];
    (before == none ? queues_[price].first : orders_[before].after) = after;
    (after == none ? queues_[price].last : orders_[after].before) = before;
    orders_.erase(i);
  }

  pool orders_{most_orders};
  std::array<queue, ticks> queues_;
};

// The same with the standard library: a list for each price, and a map that finds cancelled orders.
class std_form {
  struct order {
    std::uint64_t id;
    std::uint32_t price, quantity;
  };

 public:
  using name = std::uint64_t;

  std_form() { orders_.reserve(most_orders); }

  name add(std::uint32_t price, std::uint32_t quantity) {
    auto& queue = queues_[price];
    queue.push_back({++last_id_, price, quantity});
    orders_.emplace(last_id_, std::prev(queue.end()));
    return last_id_;
  }
  bool cancel(name n) {
    const auto found = orders_.find(n);
    if (found == orders_.end()) return false;
    queues_[found->second->price].erase(found->second);
    orders_.erase(found);
    return true;
  }
  bool empty(std::uint32_t price) const { return queues_[price].empty(); }
  std::uint32_t& first_quantity(std::uint32_t price) { return queues_[price].front().quantity; }
  void end_first(std::uint32_t price) {
    orders_.erase(queues_[price].front().id);
    queues_[price].pop_front();
  }
  std::size_t size() const { return orders_.size(); }

 private:
  std::unordered_map<std::uint64_t, std::list<order>::iterator> orders_;
  std::array<std::list<order>, ticks> queues_;
  std::uint64_t last_id_ = 0;
};

/// Matches orders by price, and by time where prices are equal.
template <class Orders>
class order_book {
 public:
  using name = typename Orders::name;

  name buy(std::uint32_t price, std::uint32_t quantity) {
    for (; quantity != 0 && best_ask_ <= price; ++best_ask_) quantity = take(best_ask_, quantity);
    if (quantity == 0) return --best_ask_, name();
    if (best_bid_ < price) best_bid_ = price;
    return orders_.add(price, quantity);
  }
  name sell(std::uint32_t price, std::uint32_t quantity) {
    for (; quantity != 0 && best_bid_ >= price; --best_bid_) quantity = take(best_bid_, quantity);
    if (quantity == 0) return ++best_bid_, name();
    if (best_ask_ > price) best_ask_ = price;
    return orders_.add(price, quantity);
  }
  bool cancel(name n) { return orders_.cancel(n); }

  std::uint64_t traded() const { return traded_; }
  std::size_t size() const { return orders_.size(); }

 private:
  /// Returns: the quantity that is left when all orders of the price are used up.
  std::uint32_t take(std::uint32_t price, std::uint32_t quantity) {
    while (quantity != 0 && !orders_.empty(price)) {
      std::uint32_t& there = orders_.first_quantity(price);
      const std::uint32_t taken = quantity < there ? quantity : there;
      quantity -= taken;
      there -= taken;
      traded_ += taken;
      if (there == 0) orders_.end_first(price);
    }
    return quantity;
  }

  Orders orders_;
  std::uint32_t best_bid_ = 0, best_ask_ = ticks;
  std::uint64_t traded_ = 0;
};

/// Each order is cancelled after `most_orders` further ones, unless it was traded by then.
template <class Orders>
example::results trade(std::size_t orders) {
  order_book<Orders> book;
  std::vector<typename Orders::name> recent(most_orders);
  std::uint64_t cancelled = 0;
  std::uint32_t random = 1;
  const std::uint64_t before = example::allocations;
  for (std::size_t i = 0; i < orders; ++i) {
    random = random * 1664525 + 1013904223;
    const std::uint32_t price = 1800 + (random >> 8) % 400, quantity = 1 + (random >> 20) % 9;
    auto& name = recent[i % most_orders];
    cancelled += book.cancel(name);
    name = random >> 31 ? book.buy(price - 40, quantity) : book.sell(price + 40, quantity);
  }
  const std::uint64_t during = example::allocations - before;
  const bool may_allocate = std::is_same_v<Orders, std_form>;
  bench::expect(may_allocate || during == 0, "trading allocated");
  return {{"shares traded", book.traded()},
          {"orders cancelled", cancelled},
          {"orders open", book.size()},
          {"allocations", during, false}};
}

}  // namespace

int main(int argc, char** argv) {
  return example::main<trade<std_form>, trade<heapsmith_form>, example::sizes{6'000'000, 50'000}>(
      "order-book", argc, argv);
}
