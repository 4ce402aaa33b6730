// A machine that shares a container: Syncthing, gatherd and gather-syncd, all real.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import Metadata
import Synchronization
import TestSupport
import Testing

/// A Syncthing, a gatherd and a gather-syncd of a test's own, with the shared container `box`. They use loopback only.
final class SyncMachine: Sendable {
    /// Debian's, or the one that the variable names.
    static let syncthing = ProcessInfo.processInfo.environment["GATHER_TEST_SYNCTHING"] ?? "/usr/bin/syncthing"
    static let isInstalled = access(syncthing, X_OK) == 0

    let name: String
    let device: String
    let directory: String
    let box: String
    let port: Int
    let socket: DaemonSocket
    private let processes = Mutex<[String: ChildProcess]>([:])

    var client: GatherClient { GatherClient(socket: socket) }

    /// Starts the three and waits until they are ready. `prepare` gets the directory of the container before.
    init(_ name: String, prepare: (String) throws -> Void = { _ in }) async throws {
        self.name = name
        let place = "gather-\(UUID().uuidString.prefix(8))"
        directory = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path() + place
        box = directory + "/box"
        socket = DaemonSocket(path: directory + "/gatherd")
        port = try SyncMachine.freePort()
        for path in ["", "/box", "/home", "/containers.d"] { mkdir(directory + path, 0o755) }
        try prepare(box)
        device = try await SyncMachine.configure(directory, name, port)
        try Data("".utf8).write(to: URL(filePath: directory + "/gatherd.toml"))
        try Data("path = \"\(box)\"\nsync = \"syncthing\"\n".utf8)
            .write(to: URL(filePath: directory + "/containers.d/box.toml"))
        try await startSyncthing()
        try await start(
            .gatherd,
            [
                "--config", directory + "/gatherd.toml", "--socket", socket.path, "--state-directory",
                directory + "/state",
            ])
        try await startHelper()
    }

    deinit {
        let processes = processes.withLock { $0 }
        for process in processes.values { process.kill(SIGTERM) }
        // Syncthing has a second process, which the first one ends.
        let directory = directory
        Task {
            for process in processes.values { _ = await process.result() }
            try? FileManager.default.removeItem(atPath: directory)
        }
    }

    /// Makes Syncthing's keys and its configuration. Returns the device.
    private static func configure(_ directory: String, _ name: String, _ port: Int) async throws -> String {
        let home = directory + "/home"
        _ = await ChildProcess(path: syncthing, ["generate", "--home=\(home)"], environment: ["HOME": home]).result()
        let file = URL(filePath: home + "/config.xml")
        let generated = try String(contentsOf: file, encoding: .utf8)
        let device = try #require(generated.firstMatch(of: /<device id="([A-Z2-7-]+)"/)).1
        let text = """
            <configuration version="36">
                <device id="\(device)" name="\(name)"><address>dynamic</address></device>
                <gui enabled="true" tls="false"><address>\(directory)/syncthing</address><apikey>key</apikey></gui>
                <options>
                    <listenAddress>tcp://127.0.0.1:\(port)</listenAddress>
                    <globalAnnounceEnabled>false</globalAnnounceEnabled>
                    <localAnnounceEnabled>false</localAnnounceEnabled>
                    <relaysEnabled>false</relaysEnabled>
                    <natEnabled>false</natEnabled>
                    <crashReportingEnabled>false</crashReportingEnabled>
                    <urAccepted>-1</urAccepted>
                    <startBrowser>false</startBrowser>
                    <reconnectionIntervalS>5</reconnectionIntervalS>
                    <progressUpdateIntervalS>1</progressUpdateIntervalS>
                </options>
            </configuration>
            """
        try Data(text.utf8).write(to: file)
        return String(device)
    }

    private static func freePort() throws -> Int {
        let descriptor = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) | getsockname(descriptor, $0, &length)
            }
        }
        try #require(code == 0)
        return Int(UInt16(bigEndian: address.sin_port))
    }

    // MARK: Processes

    func startSyncthing() async throws {
        let home = directory + "/home"
        let process = ChildProcess(
            path: SyncMachine.syncthing, ["-home", home, "-no-browser"],
            environment: ["HOME": home, "STNODEFAULTFOLDER": "1", "STNOUPGRADE": "1"])
        processes.withLock { $0["syncthing"] = process }
        while let line = await process.nextLine(), !line.contains("GUI and API listening") {}
    }

    /// The kernel refuses it these calls.
    func startHelper(_ arguments: [String] = [], refusing refusals: [RefusedCalls.Refusal] = []) async throws {
        try await start(
            .helper,
            ["--config", directory + "/home/config.xml", "--socket", directory + "/helper"]
                + ["--gatherd-socket", socket.path] + arguments, refusals)
    }

    private func start(
        _ product: Product, _ arguments: [String], _ refusals: [RefusedCalls.Refusal] = []
    ) async throws {
        let path = directory + "/notify-\(product.rawValue)"
        let notifications = try NotifySocket(path: path)
        var command = (program: product.path, arguments: arguments)
        if !refusals.isEmpty {
            command = RefusedCalls.around(product.path, arguments, refusing: refusals)
        }
        let process = ChildProcess(
            path: command.program, command.arguments, environment: ["NOTIFY_SOCKET": path])
        processes.withLock { $0[product.rawValue] = process }
        try await notifications.wait(for: "READY=1")
    }

    /// Ends a process with a signal, and returns its result when it is gone.
    @discardableResult
    func end(_ name: String, _ signal: Int32 = SIGTERM) async throws -> ChildProcess.Result {
        let process = try #require(processes.withLock { $0.removeValue(forKey: name) })
        process.kill(signal)
        return await process.result()
    }

    // MARK: Files

    /// Writes a file elsewhere and renames it into place, as editors do.
    func save(_ path: String, _ text: String) throws {
        try save(path, Data(text.utf8))
    }

    func save(_ path: String, _ contents: Data) throws {
        let temporary = directory + "/saved"
        try contents.write(to: URL(filePath: temporary))
        let target = box + "/" + path
        try FileManager.default.createDirectory(
            atPath: URL(filePath: target).deletingLastPathComponent().path(), withIntermediateDirectories: true)
        try #require(rename(temporary, target) == 0)
    }

    // MARK: Questions

    /// Waits until the items that match have exactly these paths below the container. Throws if they never have.
    func until(_ predicate: String, _ paths: Set<String>) async throws {
        let query = MetadataQuery(
            predicate: predicate, scopes: [.container("box")], attributes: [.path], socket: socket)
        let place = box
        @Sendable func found() -> Set<String> {
            Set(query.results.compactMap { $0.path?.dropFirst(place.count + 1) }.map(String.init))
        }
        let patience = Patience()
        let guardian = Patience.whenOver { query.stop() }
        defer { guardian.cancel() }
        try await query.start()
        for try await notification in query.notifications {
            switch notification {
            case .gathered, .updated: break
            default: continue
            }
            if found() == paths { return }
        }
        let end = patience.isOver ? "after \(Patience.seconds) s" : "when the query ended"
        throw Never(text: "\(place): \(end) '\(predicate)' has \(found().sorted()), not \(paths.sorted())")
    }

    /// A state that did not come.
    private struct Never: Error, CustomStringConvertible {
        var text: String
        var description: String { text }
    }

    func paths(_ predicate: String) async throws -> Set<String> {
        let items = try await client.find(predicate, attributes: [.path]).items
        return Set(items.compactMap { $0.path?.dropFirst(box.count + 1) }.map(String.init))
    }
}
