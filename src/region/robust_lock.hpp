// A lock in shared memory that survives the death of its holder.
#pragma once

#include <errno.h>
#include <pthread.h>

namespace heapsmith::regions {

/// A process-shared, robust mutex of POSIX: the kernel marks it if its holder dies. It is not
/// recursive: a second lock() by the holder fails with EDEADLK.
class robust_lock {
 public:
  /// Requires: no thread uses the lock.
  int init() {
    pthread_mutexattr_t attributes;
    int error = pthread_mutexattr_init(&attributes);
    if (error != 0) return error;
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    error = pthread_mutex_init(&mutex_, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return error;
  }

  /// Effects: takes the lock. If the last holder died, calls `recover()`, which returns whether the
  /// guarded data is whole again. If it is not, no thread gets the lock any more.
  /// Returns: 0 if the caller holds the lock; ENOTRECOVERABLE if the data cannot be recovered; or
  /// an error of pthread_mutex_lock.
  template <class Recover>
  int lock(Recover recover) {
    const int error = pthread_mutex_lock(&mutex_);
    if (error != EOWNERDEAD) return error;
    if (!recover()) {
      pthread_mutex_unlock(&mutex_);
      return ENOTRECOVERABLE;
    }
    return pthread_mutex_consistent(&mutex_);
  }

  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_;
};

}  // namespace heapsmith::regions
