// The dead slots of a typed pool: its free list, and how it notices code of the user within itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/pool/held_slots.hpp"
#include "heapsmith/detail/pool/live_slots.hpp"

namespace heapsmith::detail {

/**
 * Keeps account of the slots of the window that have no row.
 *
 * Invariant, which broken_invariant() walks:
 * - list: `listed` links lead from `head` over dead slots of the window, none twice. Every dead
 * slot of the window is listed, held or retired, or its row is being constructed or destroyed.
 *
 * So a pool that reuses slots is *busy*, which means that a constructor or destructor of a row is
 * running, if the numbers do not agree: no operation pays for that. A deque pool has no such
 * numbers. It counts in `live` downwards from 0, if constructors or destructors may do anything.
 *
 * Code of the user that runs within an operation may use the pool: the books agree with its rows
 * whenever such code runs. It must not move or end the rows that are being made: the slow paths
 * refuse that.
 */
template <class Layout, class Policy>
class dead_slots : public live_slots<Layout, Policy> {
  using base = live_slots<Layout, Policy>;

 public:
  using index = typename base::index;
  using base::first;
  using base::is_inside;
  using base::last;
  using base::live;
  using base::reuses;
  using base::slots;
  using base::window;
  using end_slots = held_slots<Layout, index>;
  /// Whether operations run code of the user: else a row is made before it gets its slot.
  static constexpr bool is_watchful = reuses || !Layout::is_quiet;

  explicit dead_slots(const upstream<typename Policy::upstream_type>& from) noexcept : base(from) {}
  dead_slots(dead_slots&& other) noexcept
      : base(std::move(other.idle("moved"))),
        head(other.head),
        listed(std::exchange(other.listed, 0)),
        held_front(std::exchange(other.held_front, {})),
        held_back(std::exchange(other.held_back, {})),
        retired(std::exchange(other.retired, 0)),
        root(std::exchange(other.root, Policy::no_root)) {}
  dead_slots& operator=(dead_slots&&) = delete;
  ~dead_slots() = default;

  void list(index i) noexcept {
    if constexpr (reuses) {
      Layout::set_link(slots, i, head);
      head = i;
      ++listed;
    }
  }

  /// Effects: takes the slots that are outside the window out of the list.
  void list_window() noexcept {
    if constexpr (reuses) {
      index kept_last = 0;
      std::size_t kept = 0;
      for (index i = head; listed != 0; --listed) {
        const index next = Layout::link(slots, i);
        if (is_inside(i)) {
          if (kept++ == 0)
            head = i;
          else
            Layout::set_link(slots, kept_last, i);
          kept_last = i;
        }
        i = next;
      }
      listed = kept;
    }
  }

  void forget_dead() noexcept { listed = held_front.count = held_back.count = 0; }

  /// Returns: whether constructors or destructors of rows are running, except for `own` rows.
  [[nodiscard]] bool is_busy(std::size_t own = 0) const noexcept {
    if (is_leaving) return true;
    if constexpr (!reuses) return live != 0;
    return window() - live != listed + held_front.count + held_back.count + retired + own;
  }

  /// Aborts if the pool is busy. Returns: itself.
  dead_slots& idle(const char* verb) noexcept {
    if constexpr (is_watchful)
      if (is_busy()) [[unlikely]]
        fatal("pool: %s by a constructor or destructor of one of its rows", verb);
    return *this;
  }

  /// A row is being constructed or destroyed, and no number of a deque pool shows it otherwise.
  class [[nodiscard]] busy_mark {
   public:
    explicit busy_mark(dead_slots& books) noexcept : books_(books) {
      if constexpr (is_needed) --books_.live;
    }
    busy_mark(const busy_mark&) = delete;
    busy_mark& operator=(const busy_mark&) = delete;
    ~busy_mark() {
      if constexpr (is_needed) ++books_.live;
    }

   private:
    static constexpr bool is_needed = is_watchful && !reuses;
    dead_slots& books_;
  };

  /// A row is being assigned to: it must not move.
  class [[nodiscard]] pin {
   public:
    explicit pin(dead_slots& books) noexcept : books_(books) {
      reuses ? --books_.retired : --books_.live;
    }
    pin(const pin&) = delete;
    pin& operator=(const pin&) = delete;
    ~pin() { reuses ? ++books_.retired : ++books_.live; }

   private:
    dead_slots& books_;
  };

  /// While rows move, the pool is busy and has none: code of the user that runs meanwhile finds
  /// neither a row nor room.
  class [[nodiscard]] moving {
   public:
    explicit moving(dead_slots& books) noexcept
        : first(books.first),
          last(books.last),
          books_(books),
          live_(books.live),
          listed_(std::exchange(books.listed, 0)),
          retired_(books.retired),
          root_(std::exchange(books.root, Policy::no_root)) {
      books_.first = books_.last = books_.slots.origin();
      books_.live = reuses ? 0 : ~std::size_t{0};
      books_.retired = 1;
    }
    moving(const moving&) = delete;
    moving& operator=(const moving&) = delete;
    ~moving() {
      books_.first = first;
      books_.last = last;
      books_.live = live_;
      books_.listed = listed_;
      books_.retired = retired_;
      books_.root = root_;
    }
    const index first, last;

   private:
    dead_slots& books_;
    const std::size_t live_, listed_;
    const std::uint32_t retired_;
    const index root_;
  };

  index head = 0;          // of the free list, if any slot is listed
  std::size_t listed = 0;  // slots in the free list
  // Slots of rows that have ended at this end of the window. None if the pool grows.
  end_slots held_front, held_back;
  std::uint32_t retired = 0;     // dead slots of the window whose generations are used up
  bool is_leaving = false;       // destructors of dead values are running
  index root = Policy::no_root;  // of a container: the slot where its nodes begin
};

}  // namespace heapsmith::detail
