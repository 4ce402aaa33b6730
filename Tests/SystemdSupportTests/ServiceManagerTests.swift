// Notifications as a service manager receives them, and the watchdog as it asks for it. Each test that needs variables
// in the environment runs in a process of its own: they belong to the whole process.
// SPDX-License-Identifier: Apache-2.0

// `timespec` may belong to the module of libsystemd's headers, by the order in which the compiler reads them.
import CSystemd
import Glibc
import SystemdSupport
import Testing

struct ServiceManagerTests {
    @Test func `Notifications arrive at NOTIFY_SOCKET, several in one datagram`() async {
        await #expect(processExitsWith: .success) {
            let directory = try makeTemporaryDirectory()
            defer { rmdir(directory) }
            let manager = try DatagramSocket(path: directory + "/notify")
            setenv("NOTIFY_SOCKET", manager.path, 1)
            try #expect(ServiceManager.notify(.extendTimeout(microseconds: 5_000_000), .status("reading /srv")))
            try #expect(ServiceManager.notify(.status("3 containers"), .ready))
            try #expect(ServiceManager.notify(.watchdog))
            try #expect(ServiceManager.notify(.stopping))
            #expect(manager.receiveText() == "EXTEND_TIMEOUT_USEC=5000000\nSTATUS=reading /srv")
            #expect(manager.receiveText() == "STATUS=3 containers\nREADY=1")
            #expect(manager.receiveText() == "WATCHDOG=1")
            #expect(manager.receiveText() == "STOPPING=1")
            #expect(manager.receive() == nil)
        }
    }

    @Test func `Descriptors are kept under their names, and let go of`() async {
        await #expect(processExitsWith: .success) {
            let directory = try makeTemporaryDirectory()
            defer { rmdir(directory) }
            let manager = try DatagramSocket(path: directory + "/notify")
            setenv("NOTIFY_SOCKET", manager.path, 1)
            #expect(ServiceManager.keepsDescriptors)
            let descriptor = open("/dev/null", O_RDONLY)
            defer { close(descriptor) }
            try ServiceManager.keep(descriptor, name: "gather-events-1")
            try ServiceManager.letGo(name: "gather-events-1")
            #expect(manager.receiveText() == "FDSTORE=1\nFDNAME=gather-events-1\nFDPOLL=0")
            #expect(manager.receiveText() == "FDSTOREREMOVE=1\nFDNAME=gather-events-1")
            #expect(throws: SystemdError.call("sd_pid_notify_with_fds", errno: EBADF)) {
                try ServiceManager.keep(-1, name: "none")
            }
        }
    }

    @Test func `Nothing is kept without a manager, with one that keeps nothing, and where that is switched off`() async
    {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            #expect(!ServiceManager.keepsDescriptors)
            setenv("NOTIFY_SOCKET", "/run/notify", 1)
            #expect(ServiceManager.keepsDescriptors)
            setenv("FDSTORE", "0", 1)
            #expect(!ServiceManager.keepsDescriptors)
            setenv("FDSTORE", "8", 1)
            #expect(ServiceManager.keepsDescriptors)
            setenv("GATHERD_KEEP", "no", 1)
            #expect(!ServiceManager.keepsDescriptors)
        }
    }

    @Test func `A reload carries the monotonic time of its beginning`() async {
        await #expect(processExitsWith: .success) {
            let directory = try makeTemporaryDirectory()
            defer { rmdir(directory) }
            let manager = try DatagramSocket(path: directory + "/notify")
            setenv("NOTIFY_SOCKET", manager.path, 1)
            func now() -> UInt64 {
                var time = timespec()
                clock_gettime(CLOCK_MONOTONIC, &time)
                return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
            }
            let before = now()
            try #expect(ServiceManager.notifyReloading())
            let after = now()
            let lines = try #require(manager.receiveText()).split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.first == "RELOADING=1")
            let assignment = try #require(lines.last).split(separator: "=")
            #expect(assignment.first == "MONOTONIC_USEC")
            let time = try #require(UInt64(assignment.last ?? ""))
            #expect((before...after).contains(time))
        }
    }

    @Test func `Without a manager notifications go nowhere and are no error`() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            try #expect(ServiceManager.notify(.ready) == false)
        }
    }

    @Test func `A notification socket that is gone is an error with its errno`() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1)
            #expect(throws: SystemdError.call("sd_notify", errno: ENOENT)) { try ServiceManager.notify(.ready) }
        }
    }

    @Test func `The watchdog's interval is the environment's, for this process only`() async {
        await #expect(processExitsWith: .success) {
            try #expect(ServiceManager.watchdogInterval() == nil)
            setenv("WATCHDOG_USEC", "30000000", 1)
            try #expect(ServiceManager.watchdogInterval() == .seconds(30))
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            try #expect(ServiceManager.watchdogInterval() == .seconds(30))
            setenv("WATCHDOG_PID", "\(getpid() + 1)", 1)
            try #expect(ServiceManager.watchdogInterval() == nil)
            unsetenv("WATCHDOG_PID")
            setenv("WATCHDOG_USEC", "often", 1)
            #expect(throws: SystemdError.variables(["WATCHDOG_USEC=often"], errno: EINVAL)) {
                try ServiceManager.watchdogInterval()
            }
        }
    }
}
