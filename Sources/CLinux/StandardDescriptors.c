// Standard input, output and error, which a program may be started without.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

// Before everything else of the program and of the libraries in it. Whatever is opened next would otherwise become,
// say, descriptor 1, and the output of the program would be sent to a daemon or written into a file. Glibc does the
// same for set-user-ID programs, and the access modes are its own: to read and to write fail, as they do on a closed
// descriptor.
__attribute__((constructor(101))) static void open_standard_descriptors(void) {
  static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int number = 0; number < 3; number++) {
    if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number (open(2)).
    if (open("/dev/null", modes[number]) != number) _exit(EX_OSERR);
  }
}

static int argument_count;
static char **argument_values;

// Glibc gives constructors the arguments of main (glibc's manual, "Program Arguments", has no other way for libraries).
__attribute__((constructor(102))) static void keep_arguments(int count, char **values) {
  argument_count = count;
  argument_values = values;
}

char **clinux_arguments(int *count) { return *count = argument_count, argument_values; }

static void check_output(void) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return;
  // The reader of a pipe that it has closed needs no more.
  struct pollfd output = {.fd = STDOUT_FILENO};
  if (errno == EPIPE || (errno == 0 && poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0)) return;
  const char *reason = errno == 0 ? "input/output error" : strerror(errno);
  fprintf(stderr, "%s: standard output cannot be written: %s\n", program_invocation_short_name, reason);
  _exit(EXIT_FAILURE);
}

int clinux_check_output_at_exit(void) { return atexit(check_output); }
