// The environment variables heapsmith knows, and a word about those it does not.
#pragma once

namespace heapsmith::watch {

/// Names every HEAPSMITH_ variable that means nothing, with the known one it resembles most.
void warn_of_unknown_variables();

}  // namespace heapsmith::watch
