// Included in every file compiled from the glibc tarball: names that glibc's own build defines.
#pragma once
#include <limits.h>

#define TIMEOUTFACTOR 1
#define OBJPFX "./"
#define attribute_hidden
#define libc_hidden_proto(name)
#define libc_hidden_def(name)
