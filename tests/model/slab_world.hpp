// A slab as the cases see it: blocks in use, its remote word, its record, and the span's life.
#pragma once

#include "checker/model.hpp"

#define HS_PLAIN_LINK(type) ::heapsmith::model::plain<type>
#include "base/remote_word.hpp"

#include <array>

namespace heapsmith::model {

/// `size` blocks, all in use by threads. What the heap's slow paths do with a slab stands here in
/// its shortest form; the word and its memory orders are the library's own.
template <unsigned size>
class slab_world {
 public:
  slab_world() {
    name(&word, "remote");
    begin_life(&span_, "span");
    for (cell& c : cells_) begin_life(&c.user, "block");
    record = 1;
  }

  /// A user is done with a block: its last use of it, then its place in the batch.
  void add(block_batch& batch, unsigned i) {
    end_life(&cells_[i].user);
    block* b = &cells_[i].link;
    if (batch.count == 0) batch.last = b;
    else b->next = batch.first;
    batch.first = b;
    ++batch.count;
  }

  template <class... Index>
  remote_word::pushed push(Index... i) {
    block_batch batch;
    (add(batch, i), ...);
    return word.push(base(), batch);
  }

  /// Takes what waits, and hands each block to a new user.
  unsigned collect() {
    const block_list list = word.collect(base());
    require((list.first == nullptr) == (list.count == 0), "a list is as long as it says");
    block* b = list.first;
    for (std::uint32_t n = 0; n < list.count; ++n) {
      block* next = n + 1 < list.count ? static_cast<block*>(b->next) : nullptr;
      begin_life(&cell_of(b)->user, "block");
      b = next;
    }
    record = record + 1;  // the owner's fields change with what it collects
    return list.count;
  }

  /// All blocks are back: the span goes to whoever asks next, who writes all over it.
  void free_span() {
    record = 0;
    for (cell& c : cells_) {
      c.link.next = nullptr;
      begin_life(&c.user, "span's next user");
      end_life(&c.user);
    }
    end_life(&span_);
    word.reset();
  }

  /// After the case: takes what waits and expects every block to be in new hands.
  void expect_all_back() {
    collect();
    for (cell& c : cells_) end_life(&c.user);
    end_life(&span_);
  }

  char* base() { return reinterpret_cast<char*>(cells_.data()); }

  remote_word word;
  plain<int> record;  // what only the slab's owner touches
  slab_world* posted_next = nullptr;

 private:
  struct alignas(16) cell {
    block link;
    char user;  // stands for the block's contents
  };
  static cell* cell_of(block* b) { return reinterpret_cast<cell*>(b); }

  std::array<cell, size> cells_;
  char span_;
};

}  // namespace heapsmith::model
