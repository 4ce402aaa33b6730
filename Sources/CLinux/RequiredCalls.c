// The system calls without which nothing works.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sysexits.h>

static void *begin(void *nothing) { return nothing; }

// Returns the name of a call that fails, with errno; NULL if there is none.
static const char *find_refused(void) {
  struct clinux_status status;
  long result = clinux_statx(AT_FDCWD, "/", &status, 1);
  if (result < 0) return errno = (int)-result, "statx(2)";
  pthread_t thread;
  // It gives the error back. It tries clone(2) only if there is no clone3(2).
  int code = pthread_create(&thread, NULL, begin, NULL);
  if (code != 0) return errno = code, "clone3(2)";
  pthread_join(thread, NULL);
  int poll = epoll_create1(EPOLL_CLOEXEC);
  if (poll < 0) return "epoll_create1(2)";
  int event = eventfd(0, EFD_CLOEXEC);
  if (event < 0) return "eventfd2(2)";
  struct epoll_event wanted = {.events = EPOLLIN};
  if (epoll_ctl(poll, EPOLL_CTL_ADD, event, &wanted) != 0) return "epoll_ctl(2)";
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  if (timer < 0) return "timerfd_create(2)";
  close(timer);
  close(event);
  close(poll);
  return NULL;
}

void clinux_check_calls(void) {
  const char *name = find_refused();
  if (name == NULL) return;
  fprintf(stderr, "%s: %s cannot be used: %s; the kernel or a filter of system calls (seccomp) refuses it\n",
          program_invocation_short_name, name, strerror(errno));
  _exit(EX_OSERR);
}
