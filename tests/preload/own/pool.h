// The counts of the pools, which names.c prints.
#pragma once

#include <stddef.h>

extern size_t pool_takes, pool_returns, pool_strangers;
