// The least that opening the documents of a folder takes: each file is opened, read and closed.
// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count != 2) return 64;
  DIR *folder = opendir(arguments[1]);
  if (!folder) return 1;
  static char bytes[1 << 20];
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.') continue;
    int file = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 1;
    while (read(file, bytes, sizeof bytes) > 0) {}
    close(file);
  }
  return 0;
}
