// Forced into every file compiled from the glibc tarball: names that its own build defines.
#pragma once
#include <limits.h>

#define TIMEOUTFACTOR 1
#define OBJPFX "./"
#define attribute_hidden
#define libc_hidden_proto(name)
#define libc_hidden_def(name)
