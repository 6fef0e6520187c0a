// What the examples of containers/set.hpp take for granted.
#pragma once

namespace {

int seen = 0;
void use(int value) {
  seen += value;
}

}  // namespace
