// The function behind the recorder's pthread_create.
#pragma once

#include <pthread.h>

namespace heapsmith::recorder {

using creator = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

/// Effects: passes calls on to this function, instead of the next definition in the process.
void use_next_creator(creator next);

}  // namespace heapsmith::recorder
