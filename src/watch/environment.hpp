// The environment variables heapsmith knows, and a word about those it does not.
#pragma once

namespace heapsmith::watch {

/// Reports every unknown HEAPSMITH_ variable, with the known one that it resembles most.
void warn_of_unknown_variables();

}  // namespace heapsmith::watch
