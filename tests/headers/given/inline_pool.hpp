// Declarations that the examples of inline_pool.hpp use.
#pragma once

#include <string>

namespace {

struct message {
  explicit message(const std::string& text) : text(text) {}
  std::string text;
};
const std::string text = "a text that is too long to lie in the string itself";

}  // namespace
