// The state of a scope: its parent's cursor, and the objects to destroy when it closes.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/arena/arena_exhausted.hpp"
#include "heapsmith/detail/arena/arena_pieces.hpp"
#include "heapsmith/detail/arena/bump.hpp"
#include "heapsmith/detail/arena/cursor.hpp"
#include "heapsmith/detail/arena/object_runs.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/on_failure.hpp"

namespace heapsmith::detail {

/// An open scope. It takes its parent's cursor when it opens, and gives it back when it closes.
template <class Upstream>
class scope_frame : public cursor_holder {
  using pieces = arena_pieces<Upstream>;

 public:
  scope_frame(cursor_holder& parent, pieces& all, const char* a_name) noexcept
      : cursor_holder("scope", a_name), parent_(&parent), pieces_(&all) {
    if (parent.end == nullptr) [[unlikely]]
      open_slow();
    parent.lend(*this);
    start_ = position;
    start_piece_ = all.current();
  }
  scope_frame(const scope_frame&) = delete;
  scope_frame& operator=(const scope_frame&) = delete;
  ~scope_frame() {
    require_no_child("destroyed");
    clear();
    parent_->child = nullptr;
    parent_->position = position;
    parent_->end = end;
  }

  pieces& all_pieces() const noexcept { return *pieces_; }

  template <on_failure Otherwise>
  [[gnu::always_inline]] void*
  get(std::size_t bytes, std::size_t align) noexcept(Otherwise == on_failure::returns_null) {
    return this->allocate(bytes, align, [=, this]() HS_INLINED {
      return pieces_->template allocate_slow<Otherwise>(*this, bytes, align);
    });
  }

  /**
   * Returns: `count` objects, side by side, that `construct(at)` has constructed; nullptr if there
   * is no memory for them or for their entry in the list of runs. No object was made then.
   * Requires: count * sizeof(T) does not overflow. `construct` constructs all objects, or throws
   * and leaves none.
   */
  template <class T, on_failure Otherwise, class Construct>
  [[gnu::always_inline]] T* build(std::size_t count, Construct construct) noexcept(
      Otherwise == on_failure::returns_null && std::is_nothrow_invocable_v<Construct&, T*>) {
    static_assert(std::is_nothrow_destructible_v<T>,
                  "a scope runs destructors when it closes: they must not throw");
    const std::size_t bytes = count * sizeof(T);
    if constexpr (std::is_trivially_destructible_v<T>) {
      return construct_in<T, Otherwise>(*this, get<Otherwise>(bytes, alignof(T)), bytes, construct);
    } else {
      char* at = position;
      if (const object_run* run = runs_; run->destroy == &destroy_run<T> && run->end == at &&
                                         bytes <= static_cast<std::size_t>(end - at)) [[likely]] {
        this->take(bytes);
      } else {
        at = start_run<Otherwise>(&destroy_run<T>, bytes, alignof(T));
        if (Otherwise == on_failure::returns_null && at == nullptr) return nullptr;
      }
      object_run* const run = runs_;
      pending_block<cursor> memory{static_cast<cursor&>(*this), at, bytes};
      construct(reinterpret_cast<T*>(at));
      memory.at = nullptr;
      if (run == runs_) [[likely]]
        run->end = at + bytes;
      else if (!add_late<Otherwise>(&destroy_run<T>, at, bytes))
        return nullptr;
      return reinterpret_cast<T*>(at);
    }
  }

  /// Effects: destroys the objects, last first, and frees all memory of the scope. Objects that
  /// destructors make in this scope are destroyed, too.
  void clear() noexcept {
    if (runs_ != &no_objects) end_objects(&no_objects);
    if (pieces_->current() == start_piece_) [[likely]]
      this->rewind(start_);
    else
      pieces_->rewind(*this, start_piece_, start_);
  }

 private:
  /// Effects: destroys the objects that were made after those of run `until`. While destructors
  /// run, a mark stands in the list for the run whose objects they destroy: a reset would end them
  /// twice.
  void end_objects(const object_run* until) noexcept {
    while (runs_ != until) {
      const object_run* const run = runs_;
      object_run mark{run->older, &refuse_reset, nullptr, nullptr};
      runs_ = &mark;
      run->destroy(run->begin, run->end);
      if (runs_ != &mark) end_objects(&mark);
      runs_ = mark.older;
    }
  }
  [[gnu::cold]] static void refuse_reset(char*, char*) noexcept {
    fatal("%s", "scope reset by a destructor of one of its objects");
  }

  /// The parent has no cursor to lend: the arena has no piece, or a scope is open.
  [[gnu::noinline, gnu::cold]] void open_slow() noexcept {
    parent_->require_no_child("given a second scope");
    pieces_->use_spare(*parent_);
  }

  /// Effects: begins an empty run. Returns: memory for its first objects, or nullptr.
  template <on_failure Otherwise>
  [[gnu::noinline]] char* start_run(object_run::destroy_function destroy, std::size_t bytes,
                                    std::size_t align) noexcept(Otherwise ==
                                                                on_failure::returns_null) {
    if (align < alignof(object_run)) align = alignof(object_run);
    const std::size_t offset = bump_align(sizeof(object_run), align);
    auto* const at = static_cast<char*>(get<on_failure::returns_null>(offset + bytes, align));
    if (Otherwise == on_failure::throws && at == nullptr) refuse(bytes, align);
    if (at == nullptr) return nullptr;
    runs_ = ::new (at) object_run{runs_, destroy, at + offset, at + offset};
    return at + offset;
  }

  /// Effects: registers objects whose constructor made other objects here, which come first.
  /// Returns: false if there is no memory for the entry. The objects are destroyed then.
  template <on_failure Otherwise>
  [[gnu::noinline, gnu::cold]] bool add_late(object_run::destroy_function destroy, char* at,
                                             std::size_t bytes) noexcept(Otherwise ==
                                                                         on_failure::returns_null) {
    if (end == nullptr || (at >= position && at < end))
      fatal("%s", "scope reset by the constructor of an object that is made in it");
    void* const memory = get<on_failure::returns_null>(sizeof(object_run), alignof(object_run));
    if (memory == nullptr) {
      destroy(at, at + bytes);
      if constexpr (Otherwise == on_failure::throws)
        refuse(sizeof(object_run), alignof(object_run));
      return false;
    }
    runs_ = ::new (memory) object_run{runs_, destroy, at, at + bytes};
    return true;
  }

  [[noreturn]] void refuse(std::size_t bytes, std::size_t align) const {
    raise(arena_exhausted(bytes, align, this->remaining()));
  }

  object_run* runs_ = &no_objects;
  cursor_holder* parent_;
  pieces* pieces_;
  char* start_;
  arena_piece* start_piece_;
};

}  // namespace heapsmith::detail
