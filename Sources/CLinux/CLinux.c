// Code that the header cannot have.
// SPDX-License-Identifier: Apache-2.0
#include "CLinux.h"

// Not in the header: it would take struct timespec for a type of this module.
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>

long clinux_clock_watch(void) {
  int timer = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  if (timer < 0) return -(long)errno;
  // As far off as a time_t goes: the kernel takes what is past its own range for its end.
  struct itimerspec never = {.it_value.tv_sec = sizeof(time_t) == 8 ? INT64_MAX : INT32_MAX};
  if (timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) == 0) return timer;
  long failure = -(long)errno;
  close(timer);
  return failure;
}

// Not in the header: struct stat.
long clinux_read_file(int directory, const char *path, void *buffer, unsigned long size) {
  // A FIFO without a writer must not make this wait.
  int file = openat(directory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return -(long)errno;
  struct stat status;
  long result;
  if (fstat(file, &status) < 0) {
    result = -(long)errno;
  } else if (!S_ISREG(status.st_mode)) {
    result = -EINVAL;
  } else {
    do result = CLINUX_RESULT(read(file, buffer, size));
    while (result == -EINTR);
  }
  close(file);
  return result;
}
