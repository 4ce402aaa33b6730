// The real gatherd under the conditions of a run: a short event queue, few watches, and an end by any signal.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import IdentityModel
import TestSupport

/// A `gatherd` process with its state directory, started and ended as often as one likes.
final class Daemon {
    struct Conditions: Sendable {
        /// `fs.inotify.max_queued_events` when the daemon makes its queue.
        var queuedEvents: Int?
        /// `user.max_inotify_watches` of a user namespace in which the daemon lives.
        var watches: Int?
        /// Whether a service manager keeps the daemon's descriptors.
        var keepsDescriptors = false
        /// Whether the daemon is kept out of directories by their modes.
        var heedsPermissions = false
    }

    let directory: String
    let socket: String
    private let conditions: Conditions
    private let containers: [(identifier: String, path: String)]
    private var process: pid_t?
    private let store = DescriptorStore()

    /// `directory` exists; the daemon's own files go there.
    init(
        in directory: String, containers: [(identifier: String, path: String)], packages: [String] = [],
        _ conditions: Conditions
    ) throws {
        self.directory = directory
        // Only a file names packages.
        self.containers = packages.isEmpty ? containers : []
        self.conditions = conditions
        socket = directory + "/io.gatherd"
        // Soon enough for a test that waits for it.
        try "poll-interval = \"300ms\"\n".write(toFile: directory + "/gatherd.toml", atomically: false, encoding: .utf8)
        if packages.isEmpty { return }
        _ = Files.makeDirectory(Bytes(directory + "/containers.d"))
        for (identifier, path) in containers {
            let list = packages.map { "\"\($0)\"" }.joined(separator: ", ")
            try "path = \"\(path)\"\npackages = [\(list)]\n".write(
                toFile: directory + "/containers.d/\(identifier).toml", atomically: false, encoding: .utf8)
        }
    }

    deinit { if process != nil { end(SIGKILL) } }

    var isRunning: Bool { process != nil }

    /// The resident memory of the process, in bytes.
    var residentBytes: Int {
        guard let process, let text = try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8) else {
            return 0
        }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(CInt(_SC_PAGESIZE))
    }

    /// The end of the daemon's log.
    var log: String {
        let text = (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(60).map { "    gatherd: \($0)" }.joined(separator: "\n")
    }

    static let program: String = {
        if let directory = getenv("GATHER_TEST_PROGRAMS") { return String(cString: directory) + "/gatherd" }
        let places = ["/proc/self/exe"] + CommandLine.arguments.filter { $0.hasSuffix(".xctest") }
        let paths = places.map {
            URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path() + "gatherd"
        }
        guard let path = paths.first(where: { access($0, X_OK) == 0 }) else { fatalError("gatherd is not in \(paths)") }
        return path
    }()

    /// Whether this user may set the conditions that a mode wants.
    static func canHave(_ conditions: Conditions) async -> Bool {
        if conditions.queuedEvents != nil, access(QueueLimit.file, W_OK) != 0 { return false }
        if conditions.heedsPermissions, !Permissions.canHeed { return false }
        if conditions.watches != nil {
            return await ChildProcess(
                path: "/usr/bin/unshare",
                ["--user", "--map-root-user", "/bin/sh", "-c", "test -w /proc/sys/user/max_inotify_watches"]
            ).result().status == 0
        }
        return true
    }

    /// Starts it and returns when it says that it is ready.
    func start() throws {
        let notifications = try notifySocket()
        defer { close(notifications) }
        let limit = try conditions.queuedEvents.map { try QueueLimit($0) }
        try spawn()
        while true {
            guard let message = store.receive(from: notifications) else {
                throw Violation("the daemon does not become ready\n\(log)")
            }
            if message.contains("READY=1") { break }
        }
        // The queue has the length that was in force when it was made.
        limit?.restore()
    }

    private func spawn() throws {
        var command = [
            Daemon.program, "--config", directory + "/gatherd.toml", "--socket", socket, "--state-directory",
            directory + "/state",
        ]
        for container in containers { command += ["--container", "\(container.identifier)=\(container.path)"] }
        if let watches = conditions.watches {
            let script = "echo \(watches) > /proc/sys/user/max_inotify_watches && exec \"$@\""
            // Permissions bind an ordinary user, who walks the tree, so they have to bind the daemon.
            if geteuid() != 0 { command = Permissions.command + command }
            command = ["/usr/bin/unshare", "--user", "--map-root-user", "/bin/sh", "-c", script, "sh"] + command
        }
        if conditions.heedsPermissions { command = Permissions.command + command }
        let storedDescriptors = conditions.keepsDescriptors ? store.storedDescriptors : []
        if !storedDescriptors.isEmpty {
            // Only the process itself knows its number.
            command = ["/bin/sh", "-c", "LISTEN_PID=$$ exec \"$@\"", "sh"] + command
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        // Out of the way of the places that they get.
        let copies = storedDescriptors.map { fcntl($0.number, F_DUPFD_CLOEXEC, 100) }
        defer { for copy in copies { close(copy) } }
        for (place, copy) in copies.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, copy, 3 + CInt(place))
        }
        for output in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(
                &actions, output, directory + "/log", O_WRONLY | O_CREAT | O_APPEND, 0o644)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGPIPE, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var variables = ProcessInfo.processInfo.environment
        for name in ["GATHER_SOCKET", "LISTEN_FDS", "LISTEN_PID", "STATE_DIRECTORY", "RUNTIME_DIRECTORY"] {
            variables[name] = nil
        }
        variables["NOTIFY_SOCKET"] = directory + "/notify"
        if !storedDescriptors.isEmpty {
            variables["LISTEN_FDS"] = "\(storedDescriptors.count)"
            variables["LISTEN_FDNAMES"] = storedDescriptors.map(\.name).joined(separator: ":")
        }
        if !conditions.keepsDescriptors { variables["GATHERD_KEEP"] = "no" }
        let arguments = command.map { strdup($0) } + [nil]
        let environment = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + environment { free(pointer) } }
        var started = pid_t()
        let code = posix_spawn(&started, command[0], &actions, &attributes, arguments, environment)
        guard code == 0 else { throw Violation("\(command[0]): \(String(cString: strerror(code)))") }
        process = started
    }

    private func notifySocket() throws -> CInt {
        let path = directory + "/notify"
        unlink(path)
        let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw Violation("\(path): \(String(cString: strerror(errno)))") }
        Patience.limit(descriptor)
        return descriptor
    }

    /// Whether the index of a container was saved, whole.
    func hasSaved(_ identifier: String) -> Bool { access(directory + "/state/saved/index-\(identifier)", F_OK) == 0 }

    /// Ends it with a signal and returns its exit status, or its signal's number and 128, when it is gone.
    @discardableResult
    func end(_ signal: CInt) -> CInt {
        guard let process else { return 0 }
        kill(process, signal)
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        self.process = nil
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
    }

    func signal(_ signal: CInt) { if let process { kill(process, signal) } }

    /// Whether it has ended by itself, which it never should.
    func hasDied() -> String? {
        guard let process else { return nil }
        var status: CInt = 0
        guard waitpid(process, &status, WNOHANG) == process else { return nil }
        self.process = nil
        return "the daemon ended by itself, status \(status)\n\(log)"
    }
}

/// The length of new inotify queues, set for a moment: one program at a time, and the former length is put back.
final class QueueLimit {
    static let file = "/proc/sys/fs/inotify/max_queued_events"
    private let lock: CInt
    private let former: String
    private var isRestored = false

    init(_ count: Int) throws {
        lock = open("/tmp/gather-model-queue.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        while flock(lock, LOCK_EX) != 0, errno == EINTR {}
        former = try String(contentsOfFile: QueueLimit.file, encoding: .utf8)
        try QueueLimit.set(String(count))
    }

    func restore() {
        guard !isRestored else { return }
        isRestored = true
        try? QueueLimit.set(former)
        close(lock)
    }

    deinit { restore() }

    private static func set(_ text: String) throws {
        let descriptor = open(file, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        guard write(descriptor, text, text.utf8.count) > 0 else { throw Violation("\(file): cannot be written") }
    }
}
