// A lane of the workload pattern: one thread's part of the work of each phase.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <span>

#include "block.hpp"

namespace pattern {

// Blocks on their way to the thread that will free them. One thread sends, one receives.
class ring {
 public:
  bool send(const block& given) {
    const std::uint64_t end = end_.load(std::memory_order_relaxed);
    // Acquire pairs with receive()'s release: the receiver has read the entry that is overwritten.
    if (end - begin_.load(std::memory_order_acquire) == size) return false;
    entries_[end % size] = given;
    // Release pairs with receive()'s acquire: the entry, and the block's contents, are seen.
    end_.store(end + 1, std::memory_order_release);
    return true;
  }

  bool receive(block& taken) {
    const std::uint64_t begin = begin_.load(std::memory_order_relaxed);
    if (begin == end_.load(std::memory_order_acquire)) return false;
    taken = entries_[begin % size];
    begin_.store(begin + 1, std::memory_order_release);
    return true;
  }

 private:
  static constexpr std::uint64_t size = 256;
  alignas(64) std::atomic<std::uint64_t> begin_;
  alignas(64) std::atomic<std::uint64_t> end_;
  alignas(64) std::array<block, size> entries_;
};

struct result {
  std::uint64_t sum = 0;    // its share of the check value
  std::uint64_t calls = 0;  // of malloc, free and their kin
};

// One lane in one phase. Which blocks it allocates depends on the settings alone, not on timing.
class lane {
 public:
  lane(const settings& all, std::uint64_t number, std::uint64_t phase, ring* from, ring* to)
      : all_(&all),
        phase_(phase),
        from_(from),
        to_(to),
        source_(all, (all.seed << 24) + phase * 1000 + number) {}

  // Fills empty slots and replaces blocks.
  void work(std::span<block> slots) {
    fill(slots);
    const std::uint64_t share = all_->calls / all_->threads / all_->phases;
    for (std::uint64_t done = 0; done < share; done += all_->burst) {
      for (std::uint64_t i = 0; i < all_->burst; ++i) give_up(slots[pick(slots.size(), i)]);
      for (std::uint64_t i = all_->burst; i-- > 0;) refill(slots, i);
      receive();
    }
  }

  // Frees all blocks but those that live on.
  void sweep_out(std::span<block> slots, bool is_last) {
    receive();
    const std::uint64_t count = slots.size();
    const std::uint64_t stride = coprime_with(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t at = i;
      if (all_->sweep == std::uint64_t(sweep::backward)) at = count - 1 - i;
      if (all_->sweep == std::uint64_t(sweep::random)) at = i * stride % count;
      const bool lives = !is_last && lab::mix(at * 1000 + phase_) % 100 < all_->keep;
      if (!lives && slots[at].data != nullptr) release(slots[at]);
    }
  }

  const result& done() const { return done_; }

 private:
  bool next_sizes() const { return phase_ % 2 == 1; }

  void fill(std::span<block> slots) {
    for (block& slot : slots) {
      if (slot.data == nullptr) make(slot);
    }
  }

  void make(block& slot) {
    slot = source_.allocate(next_sizes());
    ++done_.calls;
  }

  void release(block& slot) {
    done_.sum += slot.retire(source_.step());
    ++done_.calls;
    slot.data = nullptr;
  }

  // The slot of the i-th block of a burst.
  std::uint64_t pick(std::uint64_t count, std::uint64_t i) {
    switch (order{all_->order}) {
      case order::stack:
        return picked_[i] = count - 1 - i;
      case order::queue:
        return picked_[i] = cursor_++ % count;
      case order::random:
        return picked_[i] = source_.below(count);
      case order::young:
        break;
    }
    const std::uint64_t at = source_.below(1u << 24);
    return picked_[i] = (at * at >> 24) * count >> 24;
  }

  void give_up(block& slot) {
    if (slot.data == nullptr) return;
    if (source_.percent(all_->realloc)) {
      done_.sum += source_.resize(slot, next_sizes());
      ++done_.calls;
    } else if (source_.percent(all_->cross) && to_ != nullptr && to_->send(slot)) {
      slot.data = nullptr;
    } else {
      release(slot);
    }
  }

  void refill(std::span<block> slots, std::uint64_t i) {
    block& slot = slots[picked_[i]];
    if (slot.data == nullptr) make(slot);
  }

  // Frees what other threads have sent.
  void receive() {
    block taken;
    while (from_ != nullptr && from_->receive(taken)) release(taken);
  }

  // A number without a common divisor with `count`, about the golden part of it, so that its
  // multiples visit all slots in an order that looks random.
  static std::uint64_t coprime_with(std::uint64_t count) {
    std::uint64_t stride = static_cast<std::uint64_t>(static_cast<double>(count) * 0.618) | 1;
    while (std::gcd(stride, count) != 1) stride += 2;
    return stride;
  }

  const settings* all_;
  std::uint64_t phase_;
  ring* from_;
  ring* to_;
  source source_;
  result done_;
  std::uint64_t cursor_ = 0;
  std::array<std::uint64_t, largest_burst> picked_;  // the slots of this burst
};

}  // namespace pattern
