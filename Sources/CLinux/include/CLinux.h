// Header-only shims for what Swift's Glibc module cannot see: variadic and missing system calls, and macros.
// Every function returns what the system call does, or the negated errno; none retries.
// SPDX-License-Identifier: Apache-2.0
#pragma once
// No _GNU_SOURCE: with it <sys/select.h> defines fd_set otherwise than in Swift's Glibc module, and whether a build that
// imports both succeeds would depend on which of the two it reads first.
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define CLINUX_RESULT(call) ({ long result_ = (long)(call); result_ < 0 ? -(long)errno : result_; })

// What statx(2) says, flattened: times in seconds and nanoseconds, the device as major << 32 | minor.
struct clinux_status {
  uint64_t inode;
  uint64_t device;
  int64_t size;
  int64_t modified_seconds;
  int64_t changed_seconds;
  int64_t created_seconds;
  uint32_t modified_nanoseconds;
  uint32_t changed_nanoseconds;
  uint32_t created_nanoseconds;
  uint32_t owner;
  uint32_t group;
  uint32_t links;
  uint16_t mode;
  uint8_t has_created;
  uint8_t is_mount_root;
};

// The layout of the kernel's struct statx (include/uapi/linux/stat.h), of which headers before glibc 2.28 know nothing.
struct clinux_statx_timestamp {
  int64_t seconds;
  uint32_t nanoseconds;
  int32_t reserved;
};
struct clinux_statx {
  uint32_t mask, blksize;
  uint64_t attributes;
  uint32_t nlink, uid, gid;
  uint16_t mode, spare0;
  uint64_t ino, size, blocks, attributes_mask;
  struct clinux_statx_timestamp atime, btime, ctime, mtime;
  uint32_t rdev_major, rdev_minor, dev_major, dev_minor;
  uint64_t spare[14];
};
_Static_assert(sizeof(struct clinux_statx) == 256, "struct statx is 256 bytes");

// statx(2) with the basic fields and the time of birth. An empty name asks for the descriptor itself.
static inline long clinux_statx(int directory, const char *name, struct clinux_status *out) {
  enum { basic_stats = 0x7ff, btime = 0x800, mount_root = 0x2000, no_automount = 0x800 };
  struct clinux_statx s;
  int flags = AT_SYMLINK_NOFOLLOW | no_automount | (name[0] == 0 ? 0x1000 /* AT_EMPTY_PATH */ : 0);
  long result = CLINUX_RESULT(syscall(SYS_statx, directory, name, flags, basic_stats | btime, &s));
  if (result < 0) return result;
  out->inode = s.ino;
  out->device = (uint64_t)s.dev_major << 32 | s.dev_minor;
  out->size = (int64_t)s.size;
  out->modified_seconds = s.mtime.seconds;
  out->modified_nanoseconds = s.mtime.nanoseconds;
  out->changed_seconds = s.ctime.seconds;
  out->changed_nanoseconds = s.ctime.nanoseconds;
  out->created_seconds = s.btime.seconds;
  out->created_nanoseconds = s.btime.nanoseconds;
  out->has_created = (s.mask & btime) != 0;
  out->owner = s.uid;
  out->group = s.gid;
  out->links = s.nlink;
  out->mode = s.mode;
  out->is_mount_root = (s.attributes & mount_root) != 0;
  return 0;
}

static inline long clinux_openat2(int directory, const char *path, uint64_t flags, uint64_t resolve) {
  struct open_how how = {.flags = flags, .mode = 0, .resolve = resolve};
  return CLINUX_RESULT(syscall(SYS_openat2, directory, path, &how, sizeof how));
}

static inline long clinux_openat(int directory, const char *path, int flags, unsigned mode) {
  return CLINUX_RESULT(openat(directory, path, flags, mode));
}

static inline long clinux_getdents64(int directory, void *buffer, size_t size) {
  return CLINUX_RESULT(syscall(SYS_getdents64, directory, buffer, size));
}

static inline int clinux_trim_heap(void) { return malloc_trim(0); }
static inline long clinux_inotify_init(void) { return CLINUX_RESULT(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)); }

// inotify_add_watch(2) on an open descriptor, through its link in /proc/self/fd.
static inline long clinux_inotify_add_watch(int inotify, int directory, uint32_t mask) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", directory);
  return CLINUX_RESULT(inotify_add_watch(inotify, path, mask));
}

static inline long clinux_inotify_rm_watch(int inotify, int watch) {
  return CLINUX_RESULT(inotify_rm_watch(inotify, watch));
}

// Bytes that can be read now: FIONREAD of ioctl(2).
static inline long clinux_readable_bytes(int descriptor) {
  int count = 0;
  long result = CLINUX_RESULT(ioctl(descriptor, FIONREAD, &count));
  return result < 0 ? result : count;
}

static inline long clinux_read(int descriptor, void *buffer, size_t size) {
  return CLINUX_RESULT(read(descriptor, buffer, size));
}

static inline long clinux_write(int descriptor, const void *buffer, size_t size) {
  return CLINUX_RESULT(write(descriptor, buffer, size));
}

// F_DUPFD_CLOEXEC of fcntl(2).
static inline long clinux_duplicate(int descriptor) { return CLINUX_RESULT(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)); }

// sched_setattr(2) of the calling thread: SCHED_OTHER with a nice value and so many nanoseconds a slice. Threads that it
// makes get none of it (SCHED_FLAG_RESET_ON_FORK).
static inline long clinux_set_slice(int nice, uint64_t nanoseconds) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes = {.size = 48, .policy = 0, .flags = 1, .nice = nice, .runtime = nanoseconds};
  return CLINUX_RESULT(syscall(SYS_sched_setattr, 0, &attributes, 0));
}

static inline long clinux_eventfd(void) { return CLINUX_RESULT(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

static inline long clinux_flock(int descriptor, int operation) { return CLINUX_RESULT(flock(descriptor, operation)); }

// The path of an entry through the link of its directory's descriptor, for calls that have no form with a directory.
#define CLINUX_ENTRY_PATH 320
static inline int clinux_entry_path(char path[CLINUX_ENTRY_PATH], int directory, const char *name) {
  int length = name[0] == 0 ? snprintf(path, CLINUX_ENTRY_PATH, "/proc/self/fd/%d", directory)
                            : snprintf(path, CLINUX_ENTRY_PATH, "/proc/self/fd/%d/%s", directory, name);
  return length < CLINUX_ENTRY_PATH;
}

#define CLINUX_GETXATTRAT 464
#define CLINUX_LISTXATTRAT 465

// lgetxattr(2), lsetxattr(2), lremovexattr(2) and llistxattr(2) on an entry of an open directory; an empty name means
// the directory itself, whose link must then be followed.
//
// Reading tries getxattrat(2) and listxattrat(2) of Linux 6.13 first, which take a third of the time that the way
// through /proc takes. A sandbox that does not know them says EPERM, which no attribute that is read here does.
static inline long clinux_getxattr(int directory, const char *name, const char *key, void *value, size_t size) {
  static int is_missing;
  if (name[0] == 0) {
    long result = CLINUX_RESULT(fgetxattr(directory, key, value, size));
    if (result != -EBADF) return result;
  }
  if (!__atomic_load_n(&is_missing, __ATOMIC_RELAXED)) {
    struct { uint64_t value; uint32_t size, flags; } arguments = {(uint64_t)(uintptr_t)value, (uint32_t)size, 0};
    long result = CLINUX_RESULT(syscall(CLINUX_GETXATTRAT, directory, name[0] == 0 ? "." : name, AT_SYMLINK_NOFOLLOW,
                                        key, &arguments, sizeof arguments));
    if (result == -ENOSYS || result == -EPERM)
      __atomic_store_n(&is_missing, 1, __ATOMIC_RELAXED);
    else if (name[0] != 0 || result != -EACCES)
      return result;
  }
  char path[CLINUX_ENTRY_PATH];
  if (!clinux_entry_path(path, directory, name)) return -ENAMETOOLONG;
  return CLINUX_RESULT(name[0] == 0 ? getxattr(path, key, value, size) : lgetxattr(path, key, value, size));
}

static inline long clinux_setxattr(int directory, const char *name, const char *key, const void *value, size_t size) {
  char path[CLINUX_ENTRY_PATH];
  if (!clinux_entry_path(path, directory, name)) return -ENAMETOOLONG;
  return CLINUX_RESULT(name[0] == 0 ? setxattr(path, key, value, size, 0) : lsetxattr(path, key, value, size, 0));
}

static inline long clinux_removexattr(int directory, const char *name, const char *key) {
  char path[CLINUX_ENTRY_PATH];
  if (!clinux_entry_path(path, directory, name)) return -ENAMETOOLONG;
  return CLINUX_RESULT(name[0] == 0 ? removexattr(path, key) : lremovexattr(path, key));
}

static inline long clinux_listxattr(int directory, const char *name, char *list, size_t size) {
  static int is_missing;
  if (name[0] != 0 && !__atomic_load_n(&is_missing, __ATOMIC_RELAXED)) {
    long result =
        CLINUX_RESULT(syscall(CLINUX_LISTXATTRAT, directory, name, AT_SYMLINK_NOFOLLOW, list, size));
    if (result != -ENOSYS && result != -EPERM) return result;
    __atomic_store_n(&is_missing, 1, __ATOMIC_RELAXED);
  }
  char path[CLINUX_ENTRY_PATH];
  if (!clinux_entry_path(path, directory, name)) return -ENAMETOOLONG;
  return CLINUX_RESULT(name[0] == 0 ? listxattr(path, list, size) : llistxattr(path, list, size));
}

// renameat2(2): 1 is RENAME_NOREPLACE, 2 RENAME_EXCHANGE.
static inline long clinux_renameat2(int from, const char *old, int to, const char *new_, unsigned flags) {
  return CLINUX_RESULT(syscall(SYS_renameat2, from, old, to, new_, flags));
}

static inline long clinux_mkdirat(int directory, const char *path, unsigned mode) {
  return CLINUX_RESULT(mkdirat(directory, path, mode));
}

static inline long clinux_unlinkat(int directory, const char *path, int flags) {
  return CLINUX_RESULT(unlinkat(directory, path, flags));
}

static inline long clinux_linkat(int from, const char *old, int to, const char *new_) {
  return CLINUX_RESULT(linkat(from, old, to, new_, 0));
}

static inline long clinux_symlinkat(const char *target, int directory, const char *path) {
  return CLINUX_RESULT(symlinkat(target, directory, path));
}

static inline long clinux_readlinkat(int directory, const char *path, void *buffer, unsigned long size) {
  return CLINUX_RESULT(readlinkat(directory, path, buffer, size));
}

static inline long clinux_fchmodat(int directory, const char *path, unsigned mode) {
  return CLINUX_RESULT(fchmodat(directory, path, mode, 0));
}

// The type of the file system that an open descriptor lies in (fstatfs(2)).
static inline long clinux_file_system_type(int descriptor, uint64_t *type) {
  struct statfs s;
  long result = CLINUX_RESULT(fstatfs(descriptor, &s));
  if (result == 0) *type = (uint32_t)s.f_type;
  return result;
}

static inline long clinux_pread(int descriptor, void *buffer, size_t size, long long offset) {
  return CLINUX_RESULT(pread(descriptor, buffer, size, offset));
}

static inline long clinux_ftruncate(int descriptor, long long size) {
  return CLINUX_RESULT(ftruncate(descriptor, size));
}

static inline long long clinux_file_size(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) < 0 ? -(long long)errno : (long long)status.st_size;
}

static inline long clinux_fsync(int descriptor) { return CLINUX_RESULT(fsync(descriptor)); }

// memfd_create(2): memory that is a file, and lives as long as somebody has a descriptor of it.
static inline long clinux_memfd_create(const char *name) {
  return CLINUX_RESULT(syscall(SYS_memfd_create, name, 3u /* MFD_CLOEXEC | MFD_ALLOW_SEALING */));
}

// F_ADD_SEALS and F_GET_SEALS of fcntl(2) for F_SEAL_SHRINK and F_SEAL_GROW: whoever maps the whole file is never without it.
#define CLINUX_SIZE_SEALS 6
static inline long clinux_seal_size(int descriptor) { return CLINUX_RESULT(fcntl(descriptor, 1033, CLINUX_SIZE_SEALS)); }
static inline long clinux_seals(int descriptor) { return CLINUX_RESULT(fcntl(descriptor, 1034)); }

// mmap(2), shared and writable; `address` where that is not null replaces what is mapped there. Null for failure.
static inline void *clinux_map(void *address, size_t size, int descriptor, long long offset) {
  void *result =
      mmap(address, size, PROT_READ | PROT_WRITE, MAP_SHARED | (address ? MAP_FIXED : 0), descriptor, (off_t)offset);
  return result == MAP_FAILED ? 0 : result;
}

// Addresses with nothing behind them, to be mapped over. Null for failure.
static inline void *clinux_reserve(size_t size) {
  void *result = mmap(0, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return result == MAP_FAILED ? 0 : result;
}

static inline void clinux_unmap(void *address, size_t size) { munmap(address, size); }

// Words that another process reads when this one is gone, wherever that was ended: what stands before in the program is
// there before the word is, and what stands behind is not.
static inline void clinux_store_word(void *address, uint64_t value) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n((uint64_t *)address, value, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
static inline uint64_t clinux_load_word(const void *address) {
  return __atomic_load_n((const uint64_t *)address, __ATOMIC_ACQUIRE);
}
