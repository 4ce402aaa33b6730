// openat2(2) for programs that may not use it.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <string.h>

// Opens a directory for its path alone, by a name without slashes, unless it is a symbolic link or a mount point.
static long enter(int directory, const char *name) {
  long next = CLINUX_RESULT(openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct clinux_status status;
  if (next == -ENOTDIR && clinux_statx(directory, name, &status, 0) == 0 && S_ISLNK(status.mode)) return -ELOOP;
  if (next < 0) return next;
  long result = clinux_statx((int)next, "", &status, 0);
  if (result == 0 && status.is_mount_root) result = -EXDEV;
  if (result == 0) return next;
  close((int)next);
  return result;
}

long clinux_open_beneath(int directory, const char *path, uint64_t flags) {
  if (path[0] == '/') return -EXDEV;
  if (path[0] == 0) return -ENOENT;
  char name[4096];
  int at = directory;
  long result = 0;
  while (result >= 0 && *path != 0) {
    size_t length = strcspn(path, "/");
    const char *rest = path + length;
    while (*rest == '/') rest++;
    if (length >= sizeof name) {
      result = -ENAMETOOLONG;
    } else if (length == 2 && path[0] == '.' && path[1] == '.') {
      result = -EXDEV;
    } else if (length > 0 && !(length == 1 && path[0] == '.')) {
      memcpy(name, path, length);
      name[length] = 0;
      result = enter(at, name);
      if (result >= 0) {
        if (at != directory) close(at);
        at = (int)result;
      }
    }
    path = rest;
  }
  // The directory itself, so nothing can be changed in between. O_PATH has made the permissions of the last one no matter.
  if (result >= 0) result = CLINUX_RESULT(openat(at, ".", (int)flags | O_NOFOLLOW));
  if (at != directory) close(at);
  return result;
}
