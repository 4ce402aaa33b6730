// Callers of gatherd that misbehave, from one process and at a bounded rate, so that what they cost the daemon is measured
// and not what they take of the processors themselves:
//
// - a thousand connections a second, each closed at once
// - requests of which a byte comes now and then
// - regular expressions that go back and forth, as questions and as live queries, again as soon as they have failed
// - predicates of ten thousand parts
//
//   hostile SOCKET   prints "ready" when all are at work, and goes on until its own input ends
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { slowCallers = 50, costlyCallers = 8, connectsAMillisecond = 1 };

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static char *calls[costlyCallers];
static char bytes[1 << 16];

static int open_(void) {
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connection < 0) err(1, "socket");
    if (connect(connection, (struct sockaddr *)&address, sizeof address) < 0) {
        close(connection);
        // The daemon's queue is full: that is its good right.
        if (errno == EAGAIN) return -1;
        err(1, "connect");
    }
    return connection;
}

static void makeCalls(void) {
    static const char regular[] = "name MATCHES '(([a-z])+.)+[A-Z]([a-z])+'";
    static char many[1 << 18];
    strcpy(many, "name IN {");
    for (int number = 0; number < 9900; number++) sprintf(many + strlen(many), "'m%d',", number);
    strcat(many, "'m'}");
    for (int at = 0; at < costlyCallers; at++) {
        const char *method = at % 4 == 1 ? "Watch" : at % 4 == 2 ? "Count" : "Find";
        if (asprintf(&calls[at], "{\"method\":\"io.gatherd.Query.%s\",\"parameters\":{\"predicate\":\"%s\"}%s}", method,
                     at % 4 == 3 ? many : regular, at % 4 == 1 ? ",\"more\":true" : "") < 0)
            err(1, "asprintf");
    }
}

// Sends what is left of a call, NUL included, as far as the daemon takes it.
static size_t sendRest(int connection, const char *call, size_t sent) {
    long count = send(connection, call + sent, strlen(call) + 1 - sent, MSG_NOSIGNAL);
    return count > 0 ? sent + (size_t)count : sent;
}

int main(int argc, char **argv) {
    if (argc != 2 || strlen(argv[1]) >= sizeof address.sun_path) errx(64, "usage: hostile SOCKET");
    strcpy(address.sun_path, argv[1]);
    makeCalls();
    int slow[slowCallers], costly[costlyCallers];
    size_t sent[costlyCallers];
    memset(slow, -1, sizeof slow);
    memset(costly, -1, sizeof costly);
    static const char endless[] = "{\"method\":\"io.gatherd.Query.Find\",\"parameters\":{\"predicate\":\"name == '";
    for (long turn = 0;; turn++) {
        struct pollfd input = {.fd = 0, .events = POLLIN};
        // A turn takes a millisecond.
        if (poll(&input, 1, 1) > 0) return 0;
        for (int number = 0; number < connectsAMillisecond; number++) {
            int connection = open_();
            if (connection >= 0) close(connection);
        }
        int at = (int)(turn % slowCallers);
        if (slow[at] < 0) slow[at] = open_();
        if (slow[at] >= 0) {
            const char *byte = turn / slowCallers < (long)sizeof endless - 1 ? endless + turn / slowCallers : "x";
            if (send(slow[at], byte, 1, MSG_NOSIGNAL) < 0 && errno != EAGAIN) {
                close(slow[at]);
                slow[at] = -1;
            }
        }
        for (at = 0; at < costlyCallers; at++) {
            if (costly[at] < 0) {
                costly[at] = open_();
                sent[at] = 0;
            }
            if (costly[at] < 0) continue;
            if (sent[at] <= strlen(calls[at])) sent[at] = sendRest(costly[at], calls[at], sent[at]);
            long got = recv(costly[at], bytes, sizeof bytes, 0);
            // An answer or an error: the same again. A live query goes on until it fails.
            if (got > 0 && (at % 4 != 1 || memmem(bytes, (size_t)got, "\"error\"", 7))) sent[at] = 0;
            if (got == 0 || (got < 0 && errno != EAGAIN)) {
                close(costly[at]);
                costly[at] = -1;
            }
        }
        if (turn == 100) {
            puts("ready");
            fflush(stdout);
        }
    }
}
