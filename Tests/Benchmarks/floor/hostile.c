// Callers of gatherd that misbehave, from one process and at a bounded rate, so that what they cost the daemon is measured
// and not what they take of the processors themselves:
//
//   connects  a thousand connections a second, each closed at once
//   bytes     requests of which a byte comes now and then, a thousand bytes a second in all
//   regular   regular expressions that go back and forth, as questions and as live queries, again as soon as they fail
//   many      predicates of ten thousand parts
//   nesting   predicates nested a hundred thousand deep
//   huge      requests of a hundred megabytes, 64 KiB a millisecond as far as they are taken
//   vanish    questions for everything, a hundred a second, whose askers are gone after the first reply
//   monitor   1,500 who monitor the containers, a third of whom never read, while a container's directory is moved away and
//             back five times a second
//
//   hostile SOCKET DIRECTORY [ACT]...   prints "ready" when those, or all, are at work, and goes on until its own input ends;
//                                       DIRECTORY is the container's that `monitor` moves
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
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { slowCallers = 50, costlyCallers = 8, connectsAMillisecond = 1, hugeBytes = 100 << 20, vanishEvery = 10 };
enum { monitors = 1500, monitorsThatRead = 1000, monitorsAMillisecond = 20, readsAMillisecond = 100, moveEvery = 100 };
static const char *const acts[costlyCallers] = {"regular", "regular", "regular", "many", "regular", "regular", "nesting", "nesting"};

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
    static char many[1 << 18], nested[100001];
    memset(nested, '(', sizeof nested - 1);
    strcpy(many, "name IN {");
    for (int number = 0; number < 9900; number++) sprintf(many + strlen(many), "'m%d',", number);
    strcat(many, "'m'}");
    for (int at = 0; at < costlyCallers; at++) {
        const char *predicate = !strcmp(acts[at], "many") ? many : !strcmp(acts[at], "nesting") ? nested : regular;
        const char *method = at % 4 == 1 ? "Watch" : at % 4 == 2 ? "Count" : "Find";
        if (asprintf(&calls[at], "{\"method\":\"io.gatherd.Query.%s\",\"parameters\":{\"predicate\":\"%s\"}%s}", method,
                     predicate, at % 4 == 1 ? ",\"more\":true" : "") < 0)
            err(1, "asprintf");
    }
}

// Sends what is left of a call, NUL included, as far as the daemon takes it.
static size_t sendRest(int connection, const char *call, size_t sent) {
    long count = send(connection, call + sent, strlen(call) + 1 - sent, MSG_NOSIGNAL);
    return count > 0 ? sent + (size_t)count : sent;
}

static int actCount;
static char **chosenActs;

static bool isChosen(const char *act) {
    for (int at = 0; at < actCount; at++)
        if (!strcmp(chosenActs[at], act)) return true;
    return actCount == 0;
}

// As much of a request that never ends as the daemon takes.
static void sendHuge(void) {
    static int connection = -1;
    static long sent;
    if (connection < 0) {
        connection = open_();
        sent = 0;
    }
    if (connection < 0) return;
    static char filling[1 << 16];
    if (!filling[0]) memset(filling, 'x', sizeof filling);
    long count = send(connection, filling, sizeof filling, MSG_NOSIGNAL);
    if (count > 0) sent += count;
    if ((count < 0 && errno != EAGAIN) || sent >= hugeBytes) {
        close(connection);
        connection = -1;
    }
}

// Asks for everything and goes when the first of it comes.
static void vanish(void) {
    static int connection = -1;
    static const char everything[] = "{\"method\":\"io.gatherd.Query.Find\",\"parameters\":{\"predicate\":\"\"},\"more\":true}";
    if (connection >= 0) {
        if (recv(connection, bytes, 1, 0) < 0 && errno == EAGAIN) return;
        close(connection);
    }
    connection = open_();
    if (connection >= 0 && send(connection, everything, sizeof everything, MSG_NOSIGNAL) < 0) {
        close(connection);
        connection = -1;
    }
}

// Moves the container's directory away, or back.
static void moveDirectory(const char *directory, bool isBack) {
    static char away[4096];
    snprintf(away, sizeof away, "%s.away", directory);
    if (rename(isBack ? away : directory, isBack ? directory : away) < 0) err(1, "%s", directory);
}

// Has so many monitor, and some of them take what they are told.
static void monitor(long turn) {
    static int connections[monitors];
    static const char call[] = "{\"method\":\"io.gatherd.Container.Monitor\",\"parameters\":{},\"more\":true}";
    if (turn == 0) memset(connections, -1, sizeof connections);
    for (int number = 0; number < monitorsAMillisecond; number++) {
        int *connection = &connections[(turn * monitorsAMillisecond + number) % monitors];
        if (*connection >= 0 || (*connection = open_()) < 0) continue;
        // A new connection takes as much at once.
        if (send(*connection, call, sizeof call, MSG_NOSIGNAL) < 0) {
            close(*connection);
            *connection = -1;
        }
    }
    for (int number = 0; number < readsAMillisecond; number++) {
        int *connection = &connections[(turn * readsAMillisecond + number) % monitorsThatRead];
        if (*connection < 0) continue;
        long count = recv(*connection, bytes, sizeof bytes, 0);
        if (count > 0 || (count < 0 && errno == EAGAIN)) continue;
        close(*connection);
        *connection = -1;
    }
}

int main(int argc, char **argv) {
    if (argc < 3 || strlen(argv[1]) >= sizeof address.sun_path) errx(64, "usage: hostile SOCKET DIRECTORY [ACT]...");
    actCount = argc - 3;
    chosenActs = argv + 3;
    struct rlimit descriptors;
    if (getrlimit(RLIMIT_NOFILE, &descriptors) < 0) err(1, "getrlimit");
    descriptors.rlim_cur = descriptors.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &descriptors) < 0) err(1, "setrlimit");
    strcpy(address.sun_path, argv[1]);
    makeCalls();
    int slow[slowCallers], costly[costlyCallers];
    size_t sent[costlyCallers];
    memset(slow, -1, sizeof slow);
    memset(costly, -1, sizeof costly);
    static const char endless[] = "{\"method\":\"io.gatherd.Query.Find\",\"parameters\":{\"predicate\":\"name == '";
    bool isAway = false;
    for (long turn = 0;; turn++) {
        struct pollfd input = {.fd = 0, .events = POLLIN};
        // A turn takes a millisecond.
        if (poll(&input, 1, 1) > 0) {
            if (isAway) moveDirectory(argv[2], true);
            return 0;
        }
        if (isChosen("monitor")) {
            monitor(turn);
            if (turn % moveEvery == moveEvery - 1) {
                moveDirectory(argv[2], isAway);
                isAway = !isAway;
            }
        }
        if (isChosen("huge")) sendHuge();
        if (isChosen("vanish") && turn % vanishEvery == 0) vanish();
        for (int number = 0; number < connectsAMillisecond && isChosen("connects"); number++) {
            int connection = open_();
            if (connection >= 0) close(connection);
        }
        int at = (int)(turn % slowCallers);
        if (slow[at] < 0 && isChosen("bytes")) slow[at] = open_();
        if (slow[at] >= 0) {
            const char *byte = turn / slowCallers < (long)sizeof endless - 1 ? endless + turn / slowCallers : "x";
            if (send(slow[at], byte, 1, MSG_NOSIGNAL) < 0 && errno != EAGAIN) {
                close(slow[at]);
                slow[at] = -1;
            }
        }
        for (at = 0; at < costlyCallers; at++) {
            if (!isChosen(acts[at])) continue;
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
