// Declarations that the examples of containers/set.hpp use.
#pragma once

namespace {

int seen = 0;
void use(int value) {
  seen += value;
}

}  // namespace
