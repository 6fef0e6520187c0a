// A lock in shared memory that outlives its holder: who takes it after a death is told so.
#pragma once

#include <errno.h>
#include <pthread.h>

namespace heapsmith::regions {

/// POSIX's process-shared robust mutex; the kernel marks it when its holder dies. Not recursive:
/// a second lock() by the holder fails with EDEADLK.
class robust_lock {
 public:
  /// Requires: nobody uses the lock.
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

  /// Returns: 0 when the caller holds the lock. `recover()` is called when the holder before died,
  /// and tells whether what the lock guards is whole again; if not, nobody gets the lock any more
  /// (ENOTRECOVERABLE).
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
