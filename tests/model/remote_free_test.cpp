// Model check of remote free: the library's own code for full slabs, returned blocks and kept
// slabs.
#include "controls.hpp"
#include "heap_world.hpp"
#include "slabs/remote_free.hpp"
#include "slabs/slabs.hpp"
#include "slabs/sweep.hpp"

#include <gtest/gtest.h>

namespace heapsmith::model {
namespace {

constexpr class_index of_two = 0, of_three = 1;  // classes, by how many blocks a slab has

// Two threads push while the owner polls: nothing lost, nothing twice.
void two_pushers_and_a_polling_owner() {
  heap_world w;
  thread_heap& home = w.heaps[0];
  block* a = w.allocate(home, of_three);
  block* b = w.allocate(home, of_three);
  run([&] { w.free(a); }, [&] { w.free(b); },
      [&] {
        block* c = w.allocate(home, of_three);
        w.free(home, c);
      });
}

// A thread lets go of all that is free while blocks of it come back.
void shedding_races_with_a_push() {
  heap_world w;
  thread_heap& home = w.heaps[0];
  block* a = w.allocate(home, of_three);
  block* b = w.allocate(home, of_three);
  run([&] { w.free(a); },
      [&] {
        shed_free_slabs(home);
        w.free(home, b);
        shed_free_slabs(home);
      });
}

/// Leaves `home` a slab with one block free, so that an allocation there has not far to look.
block* keep_a_spare_block(heap_world& w, thread_heap& home) {
  block* spare = w.allocate(home, of_two);
  block* used = w.allocate(home, of_two);
  block* first_of_next = w.allocate(home, of_two);  // their slab is full and owned by nobody
  w.free(spare);
  collect_posted(home, of_two);
  w.free(home, first_of_next);
  return used;
}

// The owner finds its slab used up while blocks come back: it keeps the slab or lets go of it.
void push_races_with_disown() {
  heap_world w;
  thread_heap& home = w.heaps[0];
  block* used = keep_a_spare_block(w, home);
  block* a = w.allocate(home, of_two);
  block* b = w.allocate(home, of_two);
  block* c = nullptr;
  run([&] { w.free(a), w.free(b); }, [&] { c = w.allocate(home, of_two); });
  w.free(home, c);
  w.free(home, used);
}

struct full_slab {
  block *a, *b;  // all it has; it is owned by nobody
  block* other;  // of the current slab
};

full_slab fill_a_slab(heap_world& w, thread_heap& home) {
  block* a = w.allocate(home, of_two);
  block* b = w.allocate(home, of_two);
  return {a, b, w.allocate(home, of_two)};
}

// A slab that is full from the start gets everything back from two threads at once, the owner
// looking at its posted slabs meanwhile.
void completion_races_with_the_owner() {
  heap_world w;
  thread_heap& home = w.heaps[0];
  const auto [a, b, other] = fill_a_slab(w, home);
  run([&] { w.free(a); }, [&] { w.free(b); }, [&] { collect_posted(home, of_two); });
  w.free(home, other);
}

// A whole slab's blocks come home in one batch, from a heap of another thread.
void one_batch_ends_a_full_slab() {
  heap_world w;
  thread_heap &home = w.heaps[0], &far = w.heaps[1];
  block* a = w.allocate(home, of_two);
  block* b = w.allocate(home, of_two);
  run([&] { w.free(home, w.allocate(home, of_two)); },
      [&] {
        w.free(far, a);
        w.free(far, b);
        flush_outgoing(far);
        w.free(far, w.allocate(far, of_two));
      });
}

// A thread keeps blocks of a full slab for itself and uses them again, while the last one goes
// home.
void a_borrower_uses_blocks_of_a_full_slab() {
  heap_world w;
  thread_heap &home = w.heaps[0], &far = w.heaps[1];
  const auto [a, b, other] = fill_a_slab(w, home);
  w.free(far, w.allocate(far, of_two));  // it has a use for such blocks
  run([&] { w.free(b); },
      [&] {
        block* mine = w.allocate(far, of_two);
        block* mine_too = w.allocate(far, of_two);  // all its slab has
        w.free(far, a);
        block* borrowed = w.allocate(far, of_two);
        require(borrowed == a, "a block of another thread serves before another slab");
        w.free(far, borrowed);
        w.free(far, mine);
        w.free(far, mine_too);
      });
  w.free(home, other);
}

// Another thread looks for finished slabs among ours while one is being finished and we look too.
void strangers_look_for_finished_slabs() {
  heap_world w;
  thread_heap& home = w.heaps[0];
  block* a = w.allocate(home, of_two);
  block* b = w.allocate(home, of_two);
  block* other = w.allocate(home, of_two);
  w.free(a);
  run([&] { w.free(b); }, [&] { give_finished_posted(home.posted[of_two]); },
      [&] { collect_posted(home, of_two); });
  w.free(home, other);
}

/// The home heap keeps a wholly free slab.
void keep_one(heap_world& w) {
  thread_heap& home = w.heaps[0];
  block* a = w.allocate(home, of_two);
  block* b = w.allocate(home, of_two);
  block* c = w.allocate(home, of_two);  // the slab of a and b is full and owned by nobody
  w.free(a);
  collect_all_posted(home);
  w.free(home, b);
  w.free(home, c);
}

// A purge in another thread takes a kept slab, or the owner uses it again.
void a_purge_takes_kept_slabs() {
  heap_world w;
  thread_heap& home = w.heaps[0];
  run([&] { keep_one(w), w.free(home, w.allocate(home, of_two)); }, [&] { drop_kept(home); });
}

// A kept slab of another length is of no use to the owner; a purge takes it, and its record
// is soon another slab's.
void a_purge_takes_a_slab_put_back() {
  heap_world w;
  thread_heap &home = w.heaps[0], &far = w.heaps[1];
  keep_one(w);
  block *c = nullptr, *d = nullptr;
  run([&] { c = w.allocate(home, of_three); },
      [&] {
        drop_kept(home);
        d = w.allocate(far, of_two);
      });
  w.free(home, c);
  w.free(far, d);
}

// The owner cuts further blocks from a slab whose first one comes back.
void carving_races_with_frees() {
  heap_world w;
  thread_heap& home = w.heaps[0];
  block* a = w.allocate(home, of_two);
  run([&] { w.free(a); },
      [&] {
        block* b = w.allocate(home, of_two);
        block* c = w.allocate(home, of_two);
        w.free(home, b);
        w.free(home, c);
      });
}

// Another thread takes over posted slabs of ours while one is being finished and we look too.
void strangers_take_posted_slabs() {
  heap_world w;
  thread_heap &home = w.heaps[0], &far = w.heaps[1];
  const auto [a, b, other] = fill_a_slab(w, home);
  w.free(a);
  run([&] { w.free(b); }, [&] { steal_posted(home, far, of_two); },
      [&] { collect_posted(home, of_two); });
  w.free(home, other);
}

// A thread frees into its full slab. Since it looked at whose slab that is, another thread has
// taken the slab, filled it again and let go of it.
void a_full_slab_changes_hands() {
  heap_world w;
  thread_heap &home = w.heaps[0], &far = w.heaps[1];
  const auto [a, b, other] = fill_a_slab(w, home);
  block *c = nullptr, *d = nullptr;
  run([&] { w.free(home, b); },
      [&] {
        w.free(a);
        steal_posted(home, far, of_two);
        c = w.allocate(far, of_two);
        d = w.allocate(far, of_two);
      });
  w.free(far, c);
  w.free(far, d);
  w.free(home, other);
}

// A thread ends while others free its blocks; the thread that adopts its heap finds them.
void a_thread_ends_and_another_adopts() {
  heap_world w;
  thread_heap& home = w.heaps[0];
  block* a = w.allocate(home, of_two);
  atomic<int> orphaned{0};
  run([&] { w.abandon(home), orphaned.store(1, release); },
      [&] {
        if (orphaned.load(acquire) == 0) return;
        home.token = 3;  // the adopter's
        w.free(home, w.allocate(home, of_two));
      },
      [&] { w.free(a); });
}

// A thread ends while another one reports its slab, and a third one looks for finished slabs.
void strangers_look_at_reported_slabs() {
  heap_world w;
  thread_heap& home = w.heaps[0];
  block* a = w.allocate(home, of_two);
  run([&] { w.free(a); }, [&] { w.abandon(home); }, [&] { give_finished_posted(home.reported); });
}

/// An element of a posted stack, to try what a case with few slabs cannot reach.
struct posted_item {
  plain<posted_item*> posted_next = nullptr;
};

// A taker of more than it wants puts the rest back while others push and take.
void a_taker_puts_the_rest_back() {
  basic_posted_stack<posted_item> stack;
  posted_item items[3];
  for (posted_item& i : items) begin_life(&i, "posted item");
  stack.push(&items[0]);
  stack.push(&items[1]);
  const auto end_all = [](posted_item* i) {
    while (i != nullptr) {
      posted_item* next = i->posted_next;
      end_life(i);
      i = next;
    }
  };
  run([&] { stack.push(&items[2]); },
      [&] {
        posted_item* i = stack.pop_all();
        if (i == nullptr) return;
        posted_item* rest = i->posted_next;
        end_life(i);
        if (rest != nullptr) stack.put_back(rest, 1);
      },
      [&] { end_all(stack.pop_all()); });
  end_all(stack.pop_all());
}

const std::vector<protocol_case> cases = {
    {"a taker puts the rest back", a_taker_puts_the_rest_back},
    {"two pushers and a polling owner", two_pushers_and_a_polling_owner, 1},
    {"shedding races with a push", shedding_races_with_a_push},
    {"push races with disown", push_races_with_disown},
    {"completion races with the owner", completion_races_with_the_owner},
    {"one batch ends a full slab", one_batch_ends_a_full_slab},
    {"a borrower uses blocks of a full slab", a_borrower_uses_blocks_of_a_full_slab},
    {"strangers look for finished slabs", strangers_look_for_finished_slabs},
    {"a purge takes kept slabs", a_purge_takes_kept_slabs},
    {"a purge takes a slab put back", a_purge_takes_a_slab_put_back},
    {"carving races with frees", carving_races_with_frees},
    {"strangers take posted slabs", strangers_take_posted_slabs},
    {"a full slab changes hands", a_full_slab_changes_hands},
    {"a thread ends and another adopts", a_thread_ends_and_another_adopts},
    {"strangers look at reported slabs", strangers_look_at_reported_slabs},
};

// They say what is meant, and cost nothing on x86-64.
const std::vector<spare_order> spares = {
    {"compare_exchange_strong(expected, rest, release, relaxed)",
     "put_back(): the rest is untouched, and the pushes' release sequence goes on"},
};

TEST(remote_free, every_memory_order_is_needed) {
  expect_orders_needed(cases,
                       {"src/slabs/remote_word.hpp", "src/slabs/posted_stack.hpp",
                        "src/slabs/remote_free.cpp", "src/slabs/returned.cpp",
                        "src/slabs/remote_path.hpp", "src/slabs/slabs.cpp", "src/heap/supply.cpp",
                        "src/slabs/sweep.cpp"},
                       spares);
}

}  // namespace
}  // namespace heapsmith::model
