// Mount agents: processes that make system calls on a mount whose server may not answer.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

// argv[0] of an agent, by which the program knows that it is one.
static char agent_name[] = "gather-mount-agent";
enum { agent_socket = 3, agent_inotify = 4, first_other = 5 };
// A path of PATH_MAX (4,096) bytes, and the name of an attribute.
enum { text_size = 4096 + 512 };

static struct {
  struct clinux_agent_request request;
  char text[text_size + 2];
} message;
static _Alignas(8) unsigned char data[CLINUX_AGENT_DATA];

static long agent_open(const struct clinux_agent_request *request, const char *name) {
  if (request->resolve == 0) return clinux_openat(request->directory, name, (int)request->flags, 0);
  // EAGAIN: a rename or a mount came in between, and the kernel asks for another try (openat2(2)).
  for (int attempt = 0; attempt < 16; attempt++) {
    long result = clinux_openat2(request->directory, name, request->flags, request->resolve);
    if (result != -EAGAIN) return result;
  }
  return -EAGAIN;
}

static long agent_perform(const struct clinux_agent_request *request, const char *name, const char *key) {
  int directory = request->directory;
  size_t size = request->size < CLINUX_AGENT_DATA ? request->size : CLINUX_AGENT_DATA;
  switch (request->operation) {
    case CLINUX_AGENT_OPEN: return agent_open(request, name);
    case CLINUX_AGENT_CLOSE: return CLINUX_RESULT(close(directory));
    case CLINUX_AGENT_STATUS: return clinux_statx(directory, name, (struct clinux_status *)(void *)data, 1);
    case CLINUX_AGENT_GET_ATTRIBUTE:
      return name[0] == '/' ? CLINUX_RESULT(lgetxattr(name, key, data, size))
                            : clinux_getxattr(directory, name, key, data, size);
    case CLINUX_AGENT_LIST_ATTRIBUTES:
      return name[0] == '/' ? CLINUX_RESULT(llistxattr(name, (char *)data, size))
                            : clinux_listxattr(directory, name, (char *)data, size);
    case CLINUX_AGENT_READ_LINK: return clinux_readlinkat(directory, name, data, size);
    case CLINUX_AGENT_READ_FILE: return clinux_read_file(directory, name, data, size);
    case CLINUX_AGENT_READ_ENTRIES: return clinux_getdents64(directory, data, size);
    case CLINUX_AGENT_ADD_WATCH: return clinux_inotify_add_watch(agent_inotify, directory, (uint32_t)request->flags);
    case CLINUX_AGENT_FILE_SYSTEM_TYPE: return clinux_file_system_type(directory, (uint64_t *)(void *)data);
    default: return -ENOSYS;
  }
}

static size_t agent_data_size(const struct clinux_agent_request *request, long result) {
  if (result < 0) return 0;
  switch (request->operation) {
    case CLINUX_AGENT_STATUS: return sizeof(struct clinux_status);
    case CLINUX_AGENT_FILE_SYSTEM_TYPE: return sizeof(uint64_t);
    case CLINUX_AGENT_READ_LINK:
    case CLINUX_AGENT_READ_FILE:
    case CLINUX_AGENT_READ_ENTRIES: return (size_t)result;
    // An empty buffer has asked for the size.
    case CLINUX_AGENT_GET_ATTRIBUTE:
    case CLINUX_AGENT_LIST_ATTRIBUTES: return request->size == 0 ? 0 : (size_t)result;
    default: return 0;
  }
}

static ssize_t receive(int socket, struct iovec *parts, int flags) {
  struct msghdr header = {.msg_iov = parts, .msg_iovlen = 2};
  return recvmsg(socket, &header, flags);
}

static _Noreturn void agent_run(void) {
  prctl(PR_SET_NAME, "gather-mount");
  // Says that it has started: how long that takes says nothing of the mount.
  struct clinux_agent_reply ready = {0};
  if (send(agent_socket, &ready, sizeof ready, MSG_NOSIGNAL) < 0) _exit(0);
  while (1) {
    memset(&message, 0, sizeof message);
    ssize_t count;
    do count = recv(agent_socket, &message, sizeof message - 2, 0);
    while (count < 0 && errno == EINTR);
    // The program that has started this one is gone, or has let go of it.
    if (count <= 0) _exit(0);
    const char *name = message.text, *key = name + strlen(name) + 1;
    long result = agent_perform(&message.request, name, key);
    if (message.request.operation == CLINUX_AGENT_CLOSE) continue;
    struct clinux_agent_reply reply = {.number = message.request.number, .result = result};
    struct iovec parts[] = {{&reply, sizeof reply}, {data, agent_data_size(&message.request, result)}};
    struct msghdr header = {.msg_iov = parts, .msg_iovlen = 2};
    if (sendmsg(agent_socket, &header, MSG_NOSIGNAL) < 0) _exit(0);
  }
}

// Before main: nothing else of the program runs in an agent.
__attribute__((constructor)) static void agent_main(int count, char **arguments) {
  if (count == 1 && strcmp(arguments[0], agent_name) == 0) agent_run();
}

long clinux_agent_start(int inotify, int *socket) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return -errno;
  // Out of the way of the numbers that the agent has them under.
  int own_end = fcntl(ends[1], F_DUPFD_CLOEXEC, 16);
  int own_inotify = fcntl(inotify < 0 ? ends[0] : inotify, F_DUPFD_CLOEXEC, 16);
  close(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  for (int number = 0; number < agent_socket; number++)
    posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&actions, own_end, agent_socket);
  if (inotify >= 0) posix_spawn_file_actions_adddup2(&actions, own_inotify, agent_inotify);
  else posix_spawn_file_actions_addopen(&actions, agent_inotify, "/dev/null", O_RDWR, 0);
  // A call that hangs must hold no lock and no socket of the program.
  posix_spawn_file_actions_addclosefrom_np(&actions, first_other);
  posix_spawn_file_actions_addchdir_np(&actions, "/");
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2, SIGCHLD};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaddset(&usual, signals[i]);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char *arguments[] = {agent_name, 0};
  pid_t process = -1;
  int error = own_end < 0 || own_inotify < 0
                  ? EMFILE
                  : posix_spawn(&process, "/proc/self/exe", &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (own_end >= 0) close(own_end);
  if (own_inotify >= 0) close(own_inotify);
  if (error != 0) {
    close(ends[0]);
    return -error;
  }
  *socket = ends[0];
  return process;
}

int clinux_wait_until(void *condition, void *mutex, uint64_t time) {
  struct timespec end = {.tv_sec = (time_t)(time / 1000000000), .tv_nsec = (long)(time % 1000000000)};
  return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &end);
}

static _Thread_local int is_patient;

void clinux_agent_make_patient(void) { is_patient = 1; }
int clinux_agent_is_patient(void) { return is_patient; }

int clinux_agent_end(int process) {
  // A call in progress may not be interrupted: the process ends when it does.
  kill(process, SIGKILL);
  return waitpid(process, 0, WNOHANG) != 0;
}

long clinux_agent_send(int socket, const struct clinux_agent_request *request, const char *name, const char *key) {
  size_t name_size = strlen(name) + 1, key_size = strlen(key) + 1;
  if (name_size + key_size > text_size) return -ENAMETOOLONG;
  struct iovec parts[] = {
      {(void *)request, sizeof *request}, {(void *)name, name_size}, {(void *)key, key_size}};
  struct msghdr header = {.msg_iov = parts, .msg_iovlen = 3};
  return CLINUX_RESULT(sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT));
}

long clinux_agent_receive(int socket, struct clinux_agent_reply *reply, void *data, size_t size) {
  struct iovec parts[] = {{reply, sizeof *reply}, {data, size}};
  return CLINUX_RESULT(receive(socket, parts, MSG_DONTWAIT));
}
