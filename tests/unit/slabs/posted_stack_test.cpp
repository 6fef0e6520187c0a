// The stack of posted slabs: what is taken, what is put back, and the hints about when to look.
#include "slabs/posted_stack.hpp"

#include <gtest/gtest.h>

namespace heapsmith {
namespace {

struct item {
  item* posted_next = nullptr;
};
using stack = basic_posted_stack<item>;

unsigned length_of(const item* s) {
  unsigned n = 0;
  for (; s != nullptr; s = s->posted_next) ++n;
  return n;
}

/// How many slabs must be finished until the stack says that it is time to look.
unsigned finished_until_due(stack& s) {
  unsigned n = 1;
  while (!s.note_finished()) ++n;
  return n;
}

class PostedStack : public testing::Test {
 protected:
  PostedStack() {
    for (item& i : items_) stack_.push(&i);
  }
  item items_[20];
  stack stack_;
};

TEST_F(PostedStack, IsTakenWholeAndReturnsItsLength) {
  std::uint32_t length = 0;
  const item* all = stack_.pop_all(&length);
  EXPECT_EQ(all, &items_[19]);
  EXPECT_EQ(length_of(all), 20u);
  EXPECT_EQ(length, 20u);
  EXPECT_EQ(stack_.pop_all(), nullptr);
}

TEST_F(PostedStack, IsDueWhenAQuarterIsFinished) {
  EXPECT_EQ(finished_until_due(stack_), 5u);
}

TEST_F(PostedStack, RemembersItsLengthWhenTheRestIsPutBack) {
  const item* all = stack_.pop_all();
  stack_.put_back(all->posted_next->posted_next->posted_next->posted_next, 16);
  EXPECT_EQ(finished_until_due(stack_), 4u);
}

TEST_F(PostedStack, KeepsSlabsThatWerePostedMeanwhile) {
  item* all = stack_.pop_all();
  item late;
  stack_.push(&late);
  stack_.put_back(all, 20);
  std::uint32_t length = 0;
  EXPECT_EQ(length_of(stack_.pop_all(&length)), 21u);
  EXPECT_EQ(length, 21u);
}

}  // namespace
}  // namespace heapsmith
