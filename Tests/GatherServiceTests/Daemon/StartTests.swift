// Starts that fail say why before anything else, and starts that lack something go on without it.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Logging
import Testing

@testable import GatherService

struct StartTests {
    /// Starts a daemon that must not come up, and returns its error. Nothing may be logged before.
    private func refusal(
        _ directory: TemporaryDirectory, adjust: (inout DaemonOptions) throws -> Void = { _ in }
    ) async throws -> ConfigurationError? {
        var options = DaemonOptions(
            configurationFile: directory.path + "/gatherd.toml", configurationIsRequired: false,
            socket: .path(directory.path + "/other/io.gatherd", isSystem: false),
            stateDirectory: directory.path + "/other-state",
            containers: [
                try ContainerConfiguration(identifier: "tree", path: directory.path + "/tree", origin: .argument)
            ])
        try adjust(&options)
        let log = LogRecorder(.info)
        var logger = Logger(label: "test", factory: { _ in log })
        logger.logLevel = .info
        let daemon = GatherDaemon(options: options, logger: logger)
        let error = await #expect(throws: ConfigurationError.self) { try await daemon.run() }
        #expect(log.all.isEmpty)
        return error
    }

    // MARK: The socket

    @Test func aSecondDaemonOnASocketNamesTheFirst() async throws {
        try await DaemonFixture.run { daemon in
            let error = try await refusal(daemon.directory) { $0.socket = .path(daemon.socket, isSystem: false) }
            #expect(
                error?.description
                    == "\(daemon.socket): another daemon (process \(getpid())) already answers there; stop it, or name another path with --socket"
            )
            let found = try await daemon.find("")
            #expect(found.isEmpty, "the first one still answers")
        }
    }

    @Test func aSocketPathThatIsAFileIsLeftAlone() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("x", to: "file")
        let error = try await refusal(directory) { $0.socket = .path(directory.path + "/file", isSystem: false) }
        #expect(
            error?.description
                == "\(directory.path)/file: a file that is no socket is in the way; remove it, or name another path with --socket"
        )
        #expect(access(directory.path + "/file", F_OK) == 0)
    }

    @Test func aSocketPathThatIsTooLongIsRefused() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/" + String(repeating: "x", count: 120)
        let error = try await refusal(directory) { $0.socket = .path(path, isSystem: false) }
        #expect(error?.message == "the path of a Unix socket has at most 107 bytes; name a shorter one with --socket")
    }

    @Test func aRuntimeDirectoryThatCannotBeUsedIsNamedWithWhatHelpsHere() throws {
        let directory = try TemporaryDirectory()
        func message(_ runtime: String, isNamed: Bool = true, hasSystemd: Bool) -> String? {
            let place = SocketPlace(
                path: runtime + "/gatherd/io.gatherd",
                runtimeDirectory: RuntimeDirectory(path: runtime, origin: isNamed ? .named : .session),
                hasSystemd: hasSystemd)
            do { try place.check() } catch { return error.message }
            return nil
        }
        let missing = directory.path + "/missing"
        #expect(
            message(missing, hasSystemd: true)
                == "the runtime directory cannot be used: No such file or directory (XDG_RUNTIME_DIR names \(missing)); log in as this user, keep its session (loginctl enable-linger), or unset the variable, or name a path with --socket"
        )
        let without = try #require(message(missing, hasSystemd: false))
        #expect(without.contains("or unset the variable") && !without.contains("loginctl"))
        #expect(message(directory.path, hasSystemd: false) == nil)
        // access(2) of a file without any execute permission fails for root too.
        try directory.write("", to: "plain")
        let unwritable = try #require(message(directory.path + "/plain", hasSystemd: true))
        #expect(unwritable.contains("set XDG_RUNTIME_DIR to a directory of this user"))
        let session = try #require(message(directory.path + "/plain", isNamed: false, hasSystemd: true))
        #expect(session.contains("XDG_RUNTIME_DIR is not set, and \(directory.path)/plain is used"))
    }

    // MARK: The state directory

    @Test func aSecondDaemonOnAStateDirectoryIsRefused() async throws {
        try await DaemonFixture.run { daemon in
            let error = try await refusal(daemon.directory) {
                $0.stateDirectory = daemon.directory.path + "/state"
            }
            #expect(error?.message.hasPrefix("another gatherd uses this state directory") == true)
        }
    }

    @Test(arguments: ["fifo", "directory", "symlink"])
    func aLockThatIsNoRegularFileIsRefusedAtOnce(kind: String) async throws {
        let directory = try TemporaryDirectory()
        let lock = directory.path + "/other-state/lock"
        mkdir(directory.path + "/other-state", 0o700)
        switch kind {
        case "fifo": try #require(mkfifo(lock, 0o600) == 0)
        case "directory": try #require(mkdir(lock, 0o700) == 0)
        default: try #require(symlink("/dev/zero", lock) == 0)
        }
        let error = try await refusal(directory)
        #expect(
            error?.description == "\(lock): the lock of the state directory is not a regular file; remove it")
    }

    @Test func aStateDirectoryThatCannotBeWrittenIsNoReasonToEnd() async throws {
        let log = LogRecorder()
        // In sysfs no user can make a file, not even root.
        try await DaemonFixture.run(log: log, adjust: { $0.stateDirectory = "/sys/kernel" }) { daemon in
            try daemon.directory.write("", to: "tree/x")
            let found = try await daemon.find("")
            #expect(found == ["x"])
            let status = try await daemon.call(ServiceInterface.Status.self, .init())
            #expect(status.savingError?.hasPrefix("/sys/kernel: ") == true && status.unsavedSince != nil)
            #expect(status.snapshotTime == nil)
        }
        let lines = log.all("state-unsaved")
        #expect(
            lines.count == 1 && lines[0].contains("the state directory /sys/kernel cannot be written: "), "\(lines)")
    }

    // MARK: Configuration

    @Test(arguments: ["fifo", "directory", "device"])
    func configurationFilesAreRegularFiles(kind: String) async throws {
        let directory = try TemporaryDirectory()
        mkdir(directory.path + "/containers.d", 0o755)
        mkdir(directory.path + "/other-state", 0o700)
        for path in ["/gatherd.toml", "/containers.d/a.toml", "/other-state/containers.toml"] {
            let file = directory.path + path
            switch kind {
            case "fifo": try #require(mkfifo(file, 0o600) == 0)
            case "directory": try #require(mkdir(file, 0o755) == 0)
            default: try #require(symlink("/dev/zero", file) == 0)
            }
            let error = try await refusal(directory)
            #expect(error?.description == "\(file): is not a regular file")
            try #require(remove(file) == 0)
        }
    }

    @Test func anEmptyFileOfSettingsMayBeTheNullDevice() throws {
        _ = try ConfigurationLoader.load(file: "/dev/null", required: true)
    }

    @Test func aContainerHasAnAbsolutePath() throws {
        func error(_ argument: String) -> String? {
            do {
                _ = try ContainerConfiguration(argument: argument)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(
            error("home=")
                == "--container: 'home=' has an empty path, perhaps of an unset variable; write an absolute path")
        #expect(error("home=a/b") == "--container: 'home=a/b': path 'a/b' is relative; write an absolute path")
        #expect(error("home=.") == "--container: 'home=.': path '.' is relative; write an absolute path")
        #expect(error("home=/a") == nil)
        let directory = try TemporaryDirectory()
        for (path, message) in [
            ("", "its path is empty; write an absolute path"), ("a", "path 'a' is relative; write an absolute path"),
        ] {
            try directory.write("path = \"\(path)\"\n", to: "containers.d/home.toml")
            let file = directory.path + "/containers.d/home.toml"
            let error = #expect(throws: ConfigurationError.self) {
                _ = try ConfigurationLoader.load(file: directory.path + "/gatherd.toml", required: false)
            }
            #expect(error == ConfigurationError(file: file, line: 1, message: message))
        }
    }

    @Test(arguments: ["", "tree"])
    func aContainerThatIsAddedHasAnAbsolutePath(path: String) async throws {
        try await DaemonFixture.run { daemon in
            do {
                _ = try await daemon.call(
                    ContainerInterface.Add.self, .init(identifier: "home", path: path))
                Issue.record("it was added")
            } catch {
                #expect("\(error)".contains("write an absolute path"), "\(error)")
            }
        }
    }

    // MARK: Content types

    @Test func aMissingDatabaseOfContentTypesIsSaidOnce() async throws {
        let log = LogRecorder()
        try await DaemonFixture.run(log: log, adjust: { $0.dataDirectories = ["/nowhere"] }) { daemon in
            try daemon.directory.write("", to: "tree/x.txt")
            try await daemon.flush()
            let status = try await daemon.call(ServiceInterface.Status.self, .init())
            #expect(status.contentTypes == 0)
        }
        #expect(log.all("content-types-missing").count == 1, "\(log.all)")
        #expect(log.all("content-types-missing").first?.contains("/nowhere/mime") == true)
    }

    // MARK: The log

    @Test func aContainerThatIsAddedIsAnnouncedOnce() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("one")
        let log = LogRecorder(.info)
        try await DaemonFixture.run(directory: directory, log: log) { daemon in
            for name in ["one", "gone"] {
                let path = directory.path + "/" + name
                _ = try await daemon.call(ContainerInterface.Add.self, .init(identifier: name, path: path))
            }
            try await daemon.flush()
            #expect(
                log.all.filter { $0.hasPrefix("container 'one'") && $0.contains("being read") }.count == 1, "\(log.all)"
            )
            #expect(log.all.filter { $0.hasPrefix("container 'gone'") }.count == 1, "\(log.all)")
        }
    }

    @Test func eachContainerHasOneLineAtTheStart() async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        let log = LogRecorder(.info)
        try await DaemonFixture.run(
            containers: ["tree": directory.path + "/tree", "gone": directory.path + "/gone"], directory: directory,
            log: log
        ) { daemon in
            let ready = try #require(log.all.firstIndex { $0.contains("is ready and serves 2 containers") })
            for (name, line) in [
                ("tree", "container 'tree' at \(directory.path)/tree is being read; exact answers wait until it is"),
                (
                    "gone",
                    "container 'gone' at \(directory.path)/gone is unavailable: No such file or directory; gatherd reads it as soon as it is available; 'gather doctor' says what helps"
                ),
            ] {
                let told = log.all[..<ready].filter { $0.hasPrefix("container '\(name)'") && !$0.contains("was read") }
                #expect(told == [line])
            }
            try await daemon.flush()
        }
    }
}
