// openat2(2) for programs that may not use it.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <string.h>

// How many times a name is looked at that other processes exchange all the time.
enum { attempts = 16 };

// Opens a directory for its path alone, by a name without slashes, unless it is a symbolic link or, if asked, a mount point.
static long enter(int directory, const char *name, int no_mounts) {
  struct clinux_status status;
  long next;
  for (int attempt = 0;; attempt++) {
    next = CLINUX_RESULT(openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (next != -ENOTDIR || clinux_statx(directory, name, &status, 0) != 0) break;
    if (S_ISLNK(status.mode)) return -ELOOP;
    if (!S_ISDIR(status.mode)) return -ENOTDIR;
    // It was a link or a file before the second call. A missing directory would be made.
    if (attempt == attempts) return -EAGAIN;
  }
  if (next < 0 || !no_mounts) return next;
  long result = clinux_statx((int)next, "", &status, 0);
  if (result == 0 && status.is_mount_root) result = -EXDEV;
  if (result == 0) return next;
  close((int)next);
  return result;
}

long clinux_open_beneath(int directory, const char *path, uint64_t flags, uint64_t resolve) {
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
      result = enter(at, name, (resolve & RESOLVE_NO_XDEV) != 0);
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
