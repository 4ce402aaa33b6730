// Header-only shims for parts of the C library that Swift's Glibc module lacks: variadic and missing functions, and macros.
// Each function returns the result of the system call or the negated errno, and does not retry.
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Without _GNU_SOURCE: it changes fd_set in <sys/select.h>, which conflicts with Swift's Glibc module. A build that imports
// both would then depend on the order of the imports.
#include <errno.h>
#include <fcntl.h>
#include <linux/mman.h>
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

// The result of statx(2), flattened: times in seconds and nanoseconds, the device as st_dev has it (makedev(3)).
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

// The layout of the kernel's struct statx (include/uapi/linux/stat.h), which headers before glibc 2.28 lack.
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

// A device number as st_dev has it.
static inline uint64_t clinux_device(uint32_t major, uint32_t minor) { return makedev(major, minor); }

// statx(2) with the basic fields and the time of birth. An empty name means the descriptor itself. With `asks`, a FUSE or
// network file system asks its server. Without it, the kernel uses the attributes that it has (AT_STATX_DONT_SYNC) and does
// not wait for the server. Local file systems ignore the difference.
static inline long clinux_statx(int directory, const char *name, struct clinux_status *out, int asks) {
  enum { basic_stats = 0x7ff, btime = 0x800, mount_root = 0x2000, no_automount = 0x800, dont_sync = 0x4000 };
  struct clinux_statx s;
  int flags = AT_SYMLINK_NOFOLLOW | no_automount | (name[0] == 0 ? 0x1000 /* AT_EMPTY_PATH */ : 0) |
              (asks ? 0 : dont_sync);
  long result = CLINUX_RESULT(syscall(SYS_statx, directory, name, flags, basic_stats | btime, &s));
  if (result < 0) return result;
  out->inode = s.ino;
  out->device = makedev(s.dev_major, s.dev_minor);
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

// Opens a directory below another as openat2(2) does with RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS and, if asked, RESOLVE_NO_XDEV, by
// several other calls.
long clinux_open_beneath(int directory, const char *path, uint64_t flags, uint64_t resolve);

// Old kernels (ENOSYS) and the filters of some containers (EPERM) refuse the call itself.
static inline long clinux_openat2(int directory, const char *path, uint64_t flags, uint64_t resolve) {
  struct open_how how = {.flags = flags, .mode = 0, .resolve = resolve};
  long result = CLINUX_RESULT(syscall(SYS_openat2, directory, path, &how, sizeof how));
  return result == -EPERM || result == -ENOSYS ? clinux_open_beneath(directory, path, flags, resolve) : result;
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

// sched_setattr(2) of the calling thread: SCHED_OTHER with a nice value and a slice in nanoseconds. New threads do not inherit
// them (SCHED_FLAG_RESET_ON_FORK).
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

// A timer that never expires and can be read when the time of day was set (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET).
long clinux_clock_watch(void);

// The arguments of main, with the name of the program first, as long as the process runs.
char **clinux_arguments(int *count);

// At the end of the process, an error of standard output that is left ends it with a message and EXIT_FAILURE. 0 if done.
int clinux_check_output_at_exit(void);

// Ends the process with a message and EX_OSERR if a system call is refused that threads, event loops or the look at a file need.
// Swift and swift-nio trap without a word there.
void clinux_check_calls(void);

static inline long clinux_eventfd(void) { return CLINUX_RESULT(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

// pipe2(2): no program that another thread starts inherits the ends.
static inline long clinux_pipe(int ends[2]) { return CLINUX_RESULT(syscall(SYS_pipe2, ends, O_CLOEXEC)); }

// pidfd_open(2): a descriptor that poll(2) finds readable when the process has ended.
static inline long clinux_pidfd_open(int process) { return CLINUX_RESULT(syscall(SYS_pidfd_open, process, 0)); }

static inline long clinux_flock(int descriptor, int operation) { return CLINUX_RESULT(flock(descriptor, operation)); }

// A lock of a whole file that belongs to the open file description (fcntl(2)): F_WRLCK takes it, F_UNLCK ends it. The numbers are
// those of F_OFD_SETLK and F_OFD_SETLKW, which need _GNU_SOURCE.
static inline long clinux_lock_file(int descriptor, short type, int waits) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
  return CLINUX_RESULT(fcntl(descriptor, waits ? 38 : 37, &lock));
}

// The path of an entry through its directory's link in /proc/self/fd, for system calls without a directory argument. The kernel
// takes PATH_MAX bytes, so it refuses names that are about as long.
#define CLINUX_ENTRY_PATH 4160
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
// Reading first tries getxattrat(2) and listxattrat(2) of Linux 6.13, which take a third of the time of a path through /proc.
// A sandbox without them returns EPERM, which reading an attribute of these namespaces does not.
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

// O_TMPFILE of open(2): a file without a name in a directory.
static inline long clinux_open_unnamed(int directory, unsigned mode) {
  return CLINUX_RESULT(openat(directory, ".", __O_TMPFILE | O_DIRECTORY | O_RDWR | O_CLOEXEC, mode));
}

// Gives an open file a name (linkat(2) through its link in /proc/self/fd, which needs no capability).
static inline long clinux_link_open(int descriptor, int to, const char *new_) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return CLINUX_RESULT(linkat(AT_FDCWD, path, to, new_, AT_SYMLINK_FOLLOW));
}

static inline long clinux_fchown(int descriptor, unsigned owner, unsigned group) {
  return CLINUX_RESULT(fchown(descriptor, owner, group));
}

static inline long clinux_fchmod(int descriptor, unsigned mode) { return CLINUX_RESULT(fchmod(descriptor, mode)); }

static inline long clinux_symlinkat(const char *target, int directory, const char *path) {
  return CLINUX_RESULT(symlinkat(target, directory, path));
}

static inline long clinux_readlinkat(int directory, const char *path, void *buffer, unsigned long size) {
  return CLINUX_RESULT(readlinkat(directory, path, buffer, size));
}

// Reads the beginning of a regular file, and waits for no writer of another kind of file, which is -EINVAL.
long clinux_read_file(int directory, const char *path, void *buffer, unsigned long size);

// A symbolic link is EOPNOTSUPP: the C library opens the entry for its path alone, and changes that.
static inline long clinux_fchmodat(int directory, const char *path, unsigned mode) {
  return CLINUX_RESULT(fchmodat(directory, path, mode, AT_SYMLINK_NOFOLLOW));
}

// The type of the file system of an open descriptor (fstatfs(2)).
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

// memfd_create(2): a file in memory, which exists until its last descriptor is closed.
static inline long clinux_memfd_create(const char *name) {
  return CLINUX_RESULT(syscall(SYS_memfd_create, name, 3u /* MFD_CLOEXEC | MFD_ALLOW_SEALING */));
}

// F_ADD_SEALS and F_GET_SEALS of fcntl(2) for F_SEAL_SHRINK and F_SEAL_GROW, so that a mapping of the whole file stays valid.
#define CLINUX_SIZE_SEALS 6
static inline long clinux_seal_size(int descriptor) { return CLINUX_RESULT(fcntl(descriptor, 1033, CLINUX_SIZE_SEALS)); }
static inline long clinux_seals(int descriptor) { return CLINUX_RESULT(fcntl(descriptor, 1034)); }

// mmap(2), shared and writable. An `address` that is not null replaces the mapping there (MAP_FIXED). Null on failure.
static inline void *clinux_map(void *address, size_t size, int descriptor, long long offset) {
  void *result =
      mmap(address, size, PROT_READ | PROT_WRITE, MAP_SHARED | (address ? MAP_FIXED : 0), descriptor, (off_t)offset);
  return result == MAP_FAILED ? 0 : result;
}

// Reserves addresses for later mappings (PROT_NONE). Null on failure.
static inline void *clinux_reserve(size_t size) {
  void *result = mmap(0, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return result == MAP_FAILED ? 0 : result;
}

// Memory of this process that is mapped twice in a row. It takes no descriptor, and any size that is a multiple of the page
// size. Null on failure.
static inline void *clinux_map_doubled(size_t size) {
  char *place = (char *)clinux_reserve(2 * size);
  if (!place) return 0;
  void *first = mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  // A size of 0 has mremap(2) map shared pages once more. The C library declares it for GNU programs alone.
  if (first == MAP_FAILED || syscall(SYS_mremap, place, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, place + size) == -1) {
    munmap(place, 2 * size);
    return 0;
  }
  return place;
}

static inline void clinux_unmap(void *address, size_t size) { munmap(address, size); }

// Words that another process reads after this one was killed at any point. Stores before such a word in program order are
// visible when the word is, and later stores come after it.
static inline void clinux_store_word(void *address, uint64_t value) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n((uint64_t *)address, value, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
static inline uint64_t clinux_load_word(const void *address) {
  return __atomic_load_n((const uint64_t *)address, __ATOMIC_ACQUIRE);
}

// A mount agent: a process that makes system calls on one mount, so that only that process waits where the mount's server
// does not answer. Such a call cannot always be killed, and a process with a thread in one cannot end. Requests and replies
// are messages on a socket (unix(7), SOCK_SEQPACKET), one reply for each request, in order.
enum {
  CLINUX_AGENT_OPEN = 1,
  CLINUX_AGENT_CLOSE,
  CLINUX_AGENT_STATUS,
  CLINUX_AGENT_GET_ATTRIBUTE,
  CLINUX_AGENT_LIST_ATTRIBUTES,
  CLINUX_AGENT_READ_LINK,
  CLINUX_AGENT_READ_ENTRIES,
  CLINUX_AGENT_ADD_WATCH,
  CLINUX_AGENT_FILE_SYSTEM_TYPE,
  CLINUX_AGENT_READ_FILE,
};
enum { CLINUX_AGENT_DATA = 65536 };

// A request: this, a name ended by a NUL, and a key ended by a NUL.
struct clinux_agent_request {
  uint64_t number;
  // The flags of an open, the mask of a watch.
  uint64_t flags;
  // The resolve flags of openat2(2); 0 for openat(2).
  uint64_t resolve;
  uint32_t operation;
  // A descriptor of the agent's own, or AT_FDCWD.
  int32_t directory;
  // Bytes that the reply may have.
  uint32_t size;
  uint32_t unused;
};

// A reply: this, and the data that the call has written.
struct clinux_agent_reply {
  uint64_t number;
  int64_t result;
};

// Starts an agent by this program itself, which becomes one before its main function begins (see MountAgent.c). The agent adds
// watches to the inotify instance. Stores the program's end of the socket, and returns the agent's process number.
long clinux_agent_start(int inotify, int *socket);

// pthread_cond_clockwait(3) of a pthread_cond_t and a pthread_mutex_t, until a time of the monotonic clock in nanoseconds. The
// Glibc module lacks it.
int clinux_wait_until(void *condition, void *mutex, uint64_t time);

// Has the calling thread wait for agents longer than others do, until it ends; and whether it does.
void clinux_agent_make_patient(void);
int clinux_agent_is_patient(void);

// Ends an agent's process, and reaps it if it has ended. Returns whether it was reaped.
int clinux_agent_end(int process);

// Sends a request, and receives a reply with its data. Neither waits.
long clinux_agent_send(int socket, const struct clinux_agent_request *request, const char *name, const char *key);
long clinux_agent_receive(int socket, struct clinux_agent_reply *reply, void *data, size_t size);
