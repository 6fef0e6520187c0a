// Elements that call their container, at each point of each operation, in a process for each case.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace heapsmith::torture {

using action = std::function<void()>;

/// The code that runs at the event `countdown` calls away; 0 if none does.
inline int countdown = 0;
inline action code;
inline bool is_throwing = false;

/// Something that a container has an element do. `may_throw` says whether elements may throw here.
inline void event(bool may_throw = false) {
  if (countdown == 0 || --countdown != 0) return;
  if (!is_throwing) return code();
  if (may_throw) throw 1;
}

inline void must(bool is_right, const char* what) {
  if (is_right) return;
  static_cast<void>(!write(2, what, std::string(what).size()));
  _exit(1);
}

struct number {
  int value;
};

/// A value on the heap, so that AddressSanitizer knows whether the element lives.
class element {
 public:
  element() noexcept { event(); }
  element(number n) : at_(new int(n.value)) { begin(); }
  element(const element& o) : at_(o.at_ == nullptr ? nullptr : new int(*o.at_)) { begin(); }
  element(element&& o) noexcept : at_(std::exchange(o.at_, nullptr)) { event(); }
  element& operator=(const element& o) {
    if (this != &o) *this = element(o);
    return *this;
  }
  element& operator=(element&& o) noexcept {
    int* const taken = std::exchange(o.at_, nullptr);
    delete std::exchange(at_, taken);
    event();
    return *this;
  }
  ~element() {
    event();
    delete at_;
  }
  [[nodiscard]] int value() const {
    must(at_ != nullptr, "an element was moved away");
    return *at_;
  }

 private:
  void begin() {
    try {
      event(true);
    } catch (...) {
      delete at_;
      throw;
    }
  }
  int* at_ = nullptr;
};

inline int value_of(const element& e) {
  return e.value();
}
inline int value_of(number n) {
  return n.value;
}
inline int value_of(int n) {
  return n;
}
inline int value_of(const auto& row) {
  return row.template get<0>().value();
}

struct comparison {
  bool operator()(const auto& a, const auto& b) const {
    const int x = value_of(a), y = value_of(b);
    event(true);
    return x < y;
  }
};

struct step {
  const char* name;
  action run;
  bool throws = false;
};

/// What became of a case: `line` is the line of heapsmith if it aborted.
struct outcome {
  enum { right, aborted, wrong, not_reached } kind;
  std::string line;
};

/// Runs a case in a child.
inline outcome outcome_of(const action& run) {
  int ends[2];
  if (pipe(ends) != 0) return {outcome::wrong, "pipe"};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    alarm(20);
    run();
    _exit(countdown > 0 ? 3 : 0);
  }
  close(ends[1]);
  std::string told;
  char bytes[4096];
  for (ssize_t n; (n = read(ends[0], bytes, sizeof bytes)) > 0;)
    told.append(bytes, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 3) return {outcome::not_reached, told};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && told.empty()) return {outcome::right, told};
  const bool is_line = told.starts_with("heapsmith: ") && told.find('\n') == told.size() - 1;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && is_line)
    return {outcome::aborted, told};
  return {outcome::wrong, "status " + std::to_string(status) + ": " + told};
}

/// The containers of a case, before and after: `set_up` makes them with some number of elements,
/// `verify` looks at them afterwards.
struct subject {
  std::function<void(int)> set_up;
  action verify;
  std::vector<step> operations, calls;
};

/// Runs every call at every event of every operation. It must be right, or abort with one line.
inline void torture(const subject& s, const std::vector<int>& sizes) {
  int right = 0, aborted = 0;
  for (const int size : sizes)
    for (const step& operation : s.operations)
      for (const step& call : s.calls)
        for (int at = 1;; at += at < 9 ? 1 : 11) {
          const outcome o = outcome_of([&] {
            s.set_up(size);
            code = call.run;
            is_throwing = call.throws;
            countdown = at;
            try {
              operation.run();
            } catch (int) {
            }
            if (countdown == 0) s.verify();
          });
          if (o.kind == outcome::not_reached) break;
          right += o.kind == outcome::right;
          aborted += o.kind == outcome::aborted;
          ASSERT_NE(o.kind, outcome::wrong)
              << call.name << " at event " << at << " of " << operation.name << " with " << size
              << " elements: " << o.line;
        }
  EXPECT_GT(right, 100);
  EXPECT_GT(aborted, 100);
}

}  // namespace heapsmith::torture
