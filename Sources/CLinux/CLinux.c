// Code that the header cannot have.
// SPDX-License-Identifier: Apache-2.0
#include "CLinux.h"

// Not in the header: it would take struct timespec for a type of this module.
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
