// Subscribers to gatherd in great number, from one process: each has a connection and a live query of its own, for files
// that nobody makes, and reads whatever comes.
//
//   crowd SOCKET COUNT SCOPE   begins COUNT live queries, prints "ready" when all have gathered, reads on until its own
//                              input ends, and prints how many replies came after that as JSON
//
// The queries are filed in all the ways there are: by the beginning, the end, a part and the whole of a name, and by the
// directory below which they look.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { readBytes = 1 << 16, standardInput = 0, window = 256 };

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int poll;

static int begin(long number, const char *scope) {
    static const char *const forms[] = {"name LIKE 'Crowd_%06ld_*'", "name LIKE '*.crowd%06ld'", "name LIKE '*_crowd_%06ld_*'",
                                        "name == 'crowd %06ld'", "kind == 'symlink'"};
    char predicate[128], place[4096], call[8192];
    long form = number % (long)(sizeof forms / sizeof *forms);
    snprintf(predicate, sizeof predicate, forms[form], number);
    // The last form demands nothing of the name that few have; its directory tells it apart.
    if (form == 4) snprintf(place, sizeof place, "%s/crowd/%06ld", scope, number);
    else snprintf(place, sizeof place, "%s", scope);
    int length = snprintf(call, sizeof call,
                          "{\"method\":\"io.gatherd.Query.Watch\",\"parameters\":{\"predicate\":\"%s\",\"scopes\":[\"%s\"]},"
                          "\"more\":true}",
                          predicate, place);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) < 0) err(1, "connect");
    if (send(connection, call, (size_t)length + 1, 0) != length + 1) err(1, "send");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = connection};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, connection, &event) < 0) err(1, "epoll_ctl");
    return connection;
}

int main(int argc, char **argv) {
    long count = argc == 4 ? atol(argv[2]) : 0;
    if (count < 1 || strlen(argv[1]) >= sizeof address.sun_path) errx(64, "usage: crowd SOCKET COUNT SCOPE");
    strcpy(address.sun_path, argv[1]);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    poll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = standardInput};
    if (poll < 0 || epoll_ctl(poll, EPOLL_CTL_ADD, standardInput, &event) < 0) err(1, "epoll");

    static char bytes[readBytes + 1];
    struct epoll_event events[window];
    long begun = 0, gathered = 0, replies = 0;
    for (;;) {
        // No more at once than the daemon takes up in a while: this is no test of its queue.
        while (begun < count && begun - gathered < window) begin(begun++, argv[3]);
        int ready = epoll_wait(poll, events, window, -1);
        if (ready < 0 && errno != EINTR) err(1, "epoll_wait");
        for (int at = 0; at < ready; at++) {
            long got = read(events[at].data.fd, bytes, readBytes);
            if (events[at].data.fd == standardInput) {
                if (got > 0) continue;
                printf("{\"replies\": %ld}\n", replies);
                return 0;
            }
            if (got <= 0) errx(1, "gatherd closed a connection");
            bytes[got] = 0;
            if (memmem(bytes, (size_t)got, "\"error\":", 8)) errx(1, "gatherd answers %s", bytes);
            if (gathered == count) {
                for (long place = 0; place < got; place++) replies += !bytes[place];
            } else if (memmem(bytes, (size_t)got, "\"gathered\"", 10) && ++gathered == count) {
                puts("ready");
                fflush(stdout);
            }
        }
    }
}
