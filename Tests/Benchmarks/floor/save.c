// The least that a save takes: a new file is written, synced and renamed over the old one. Prints nanoseconds for each save.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

int main(int count, char **arguments) {
  if (count != 4) return 64;
  const char *path = arguments[1];
  int saves = atoi(arguments[2]);
  size_t size = (size_t)atol(arguments[3]);
  char *bytes = malloc(size), temporary[4096];
  memset(bytes, '.', size);
  snprintf(temporary, sizeof temporary, "%s.tmp", path);
  for (int i = 0; i < saves; i++) {
    snprintf(bytes, size, "%d\n", i);
    double start = seconds();
    int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size || fsync(file) != 0) return 1;
    close(file);
    if (rename(temporary, path) != 0) return 1;
    printf("%.0f\n", (seconds() - start) * 1e9);
  }
  return 0;
}
