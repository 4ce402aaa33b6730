// Sockets passed by a service manager: which of them the daemon serves, and that they are taken over whole.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemdSupport
import Testing

struct InheritedSocketTests {
    @Test func `The listening Unix stream socket is found among others, by name first`() throws {
        let directory = try makeTemporaryDirectory()
        let paths = ["a", "b", "c", "d"].map { directory + "/" + $0 }
        let datagram = try makeSocket(kind: SOCK_DGRAM, path: paths[0], listening: false)
        let idle = try makeSocket(kind: SOCK_STREAM, path: paths[1], listening: false)
        let first = try makeSocket(kind: SOCK_STREAM, path: paths[2], listening: true)
        let second = try makeSocket(kind: SOCK_STREAM, path: paths[3], listening: true)
        let internet = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer {
            for descriptor in [datagram, idle, first, second, internet] { close(descriptor) }
            for path in paths { unlink(path) }
            rmdir(directory)
        }
        func passed(_ descriptor: CInt, _ name: String) -> InheritedSocket {
            InheritedSocket(descriptor: descriptor, name: name)
        }
        try #expect(InheritedSocket.listener(among: []) == nil)
        let others = [passed(datagram, "varlink"), passed(idle, "varlink"), passed(internet, "varlink")]
        try #expect(
            InheritedSocket.listener(among: others + [passed(first, "x"), passed(second, "y")])
                == passed(first, "x"))
        try #expect(
            InheritedSocket.listener(among: others + [passed(first, "x"), passed(second, "varlink")])
                == passed(second, "varlink"))
        #expect(throws: SystemdError.noListeningSocket(names: ["varlink", "varlink", "varlink"])) {
            try InheritedSocket.listener(among: others)
        }
    }

    /// Another version may have had kept what this one knows no name of: it is no socket unit's, and is let go of.
    @Test func `A descriptor kept under an unknown name is told from sockets`() throws {
        let directory = try makeTemporaryDirectory()
        let path = directory + "/s"
        let listener = try makeSocket(kind: SOCK_STREAM, path: path, listening: true)
        let events = inotify_init1(CInt(IN_CLOEXEC))
        let memory = open("/dev/shm/gather-\(getpid())-kept", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        var pipe: [CInt] = [-1, -1]
        #expect(Glibc.pipe(&pipe) == 0)
        defer {
            for descriptor in [listener, events, memory] + pipe { close(descriptor) }
            unlink("/dev/shm/gather-\(getpid())-kept")
            unlink(path)
            rmdir(directory)
        }
        func isStored(_ descriptor: CInt) -> Bool { InheritedSocket(descriptor: descriptor, name: "x").isStored }
        #expect(isStored(events) && isStored(memory))
        #expect(!isStored(listener) && !isStored(pipe[0]) && !isStored(-1))
    }

    @Test func `Passed sockets are taken`() throws {
        let directory = try makeTemporaryDirectory()
        let path = directory + "/io.gatherd"
        let listener = try makeSocket(kind: SOCK_STREAM, path: path, listening: true)
        let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer {
            for descriptor in [listener, other] { close(descriptor) }
            unlink(path)
            rmdir(directory)
        }
        let status = try ActivatedProcess.test(
            "ActivatedProcessTests", passing: [other, listener], names: ["other", "varlink"])
        #expect(status == 0)
    }

    @Test func `Sockets for another process are not taken`() async {
        await #expect(processExitsWith: .success) {
            setenv("LISTEN_PID", "\(getpid() + 1)", 1)
            setenv("LISTEN_FDS", "1", 1)
            try #expect(InheritedSocket.takeAll() == [])
        }
    }

    @Test func `A number that is none is an error with the variable`() async {
        await #expect(processExitsWith: .success) {
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "abc", 1)
            let error = #expect(throws: SystemdError.self) { try InheritedSocket.takeAll() }
            #expect(error == .variables(["LISTEN_PID=\(getpid())", "LISTEN_FDS=abc"], errno: EINVAL))
            #expect(
                error?.description.hasSuffix(" LISTEN_FDS=abc, which no service manager sets: Invalid argument") == true
            )
        }
    }
}

@Suite(.enabled(if: ActivatedProcess.isInside, "run by InheritedSocketTests")) struct ActivatedProcessTests {
    @Test func `The sockets in the environment are taken, closed on exec, and announced no more`() throws {
        let sockets = try InheritedSocket.takeAll()
        #expect(
            sockets == [
                InheritedSocket(descriptor: 3, name: "other"), InheritedSocket(descriptor: 4, name: "varlink"),
            ])
        try #expect(InheritedSocket.listener(among: sockets) == sockets.last)
        #expect(fcntl(3, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(4, F_GETFD) & FD_CLOEXEC != 0)
        #expect(getenv("LISTEN_FDS") == nil)
        try #expect(InheritedSocket.takeAll() == [])
    }
}
