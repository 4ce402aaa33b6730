// A sharing helper without Syncthing.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherProtocol
import NIOCore
import NIOPosix
import Synchronization
import Varlink

/// Serves `io.gatherd.Sharing` from a state in memory, which a test reads and changes. The server checks each request against
/// the interface.
final class FakeHelper: Sendable {
    /// The identifiers of this device and of others.
    static let here = identifier("KITCHEN")
    static let attic = identifier("ATTICAA")
    static let pixel = identifier("PIXELAA")

    static func identifier(_ first: String) -> String {
        ([first] + ["BBBBBBB", "CCCCCCC", "DDDDDDD", "EEEEEEE", "FFFFFFF", "GGGGGGG", "2222222"]).joined(separator: "-")
    }

    struct State: Sendable {
        var status = SharingInterface.Status.Reply(
            running: true, version: "1.29.5",
            devices: [
                SharedDevice(identifier: FakeHelper.here, name: "kitchen", here: true, connected: false)
            ], folders: [], offers: [])
        var findings: [SharingFindingMessage] = []
        /// The error for the next calls of a method.
        var failures: [String: SharingError] = [:]
        /// The errors for single calls of a method, the next one first.
        var passingFailures: [String: [SharingError]] = [:]
        /// The calls that change something, as text.
        var calls: [String] = []
        /// The number of `Status` calls that wait for changes.
        var monitors = 0
    }

    let path: String
    private let directory: String
    private let loop: any EventLoop
    private let state = Mutex(State())
    private let server: NIOLoopBoundBox<VarlinkServer?>
    private let handler: NIOLoopBoundBox<Handler?>

    init() async throws {
        directory = NSTemporaryDirectory() + "helper-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        path = directory + "/io.gatherd.Sharing"
        loop = MultiThreadedEventLoopGroup.singleton.next()
        server = NIOLoopBoundBox.makeBoxSendingValue(nil, eventLoop: loop)
        handler = NIOLoopBoundBox.makeBoxSendingValue(nil, eventLoop: loop)
        try await start()
    }

    /// Listens, after ``stop()`` again.
    func start() async throws {
        try await loop.flatSubmit { [self] in
            let service = VarlinkService(
                vendor: "Gather", product: "fake helper", version: "1", url: "https://example.org",
                interfaces: [SharingInterface.interface], methodsThatNeedMore: [])
            let handler = Handler(self)
            let server = VarlinkServer(eventLoop: loop, service: service, handler: handler)
            self.server.value = server
            self.handler.value = handler
            do { return try server.listen(path: path, mode: 0o600) } catch { return loop.makeFailedFuture(error) }
        }.get()
    }

    /// Closes all connections, and listens no more.
    func stop() async throws {
        try await loop.flatSubmit { [self] in
            handler.value?.monitors = []
            state.withLock { $0.monitors = 0 }
            return server.value?.close() ?? loop.makeSucceededVoidFuture()
        }.get()
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    var calls: [String] { state.withLock { $0.calls } }
    var monitorCount: Int { state.withLock { $0.monitors } }
    var status: SharingInterface.Status.Reply { state.withLock { $0.status } }

    /// Changes the state. Waiting callers get it before this returns.
    func change(_ body: @escaping @Sendable (inout State) -> Void) async throws {
        try await loop.submit { [self] in
            state.withLock { body(&$0) }
            handler.value?.tell()
        }.get()
    }

    fileprivate func use<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in try body(&state) }
    }

    /// On the event loop.
    fileprivate final class Handler: VarlinkHandler {
        private let helper: FakeHelper
        var monitors: [VarlinkCall] = []

        init(_ helper: FakeHelper) { self.helper = helper }

        func tell() {
            let status = helper.status
            for monitor in monitors where !monitor.hasEnded { monitor.reply(status, continues: true) }
        }

        func handle(_ call: VarlinkCall) {
            let name = String(call.method.split(separator: ".").last ?? "")
            if let failure = helper.use({ $0.failures[name] }) { return call.fail(failure) }
            let passing: SharingError? = helper.use { state in
                guard state.passingFailures[name]?.isEmpty == false else { return nil }
                return state.passingFailures[name]?.removeFirst()
            }
            if let passing { return call.fail(passing) }
            do {
                try answer(call)
            } catch let error as SharingError {
                call.fail(error)
            } catch {
                call.fail(SharingError.failed(message: "\(error)"))
            }
        }

        private func answer(_ call: VarlinkCall) throws {
            switch call.method {
            case SharingInterface.Status.name:
                call.reply(helper.status, continues: call.wantsMore)
                guard call.wantsMore else { return }
                monitors.append(call)
                helper.use { $0.monitors += 1 }
            case SharingInterface.Check.name:
                call.reply(SharingInterface.Check.Reply(findings: helper.use { $0.findings }))
            case SharingInterface.Share.name:
                let request = try call.request(of: SharingInterface.Share.self)
                let folders = try helper.use { state in try FakeHelper.share(request, &state) }
                call.reply(SharingInterface.Share.Reply(folders: folders))
                tell()
            case SharingInterface.Unshare.name:
                let request = try call.request(of: SharingInterface.Unshare.self)
                try helper.use { state in try FakeHelper.unshare(request, &state) }
                call.reply()
            case SharingInterface.AddDevice.name:
                let request = try call.request(of: SharingInterface.AddDevice.self)
                try helper.use { state in try FakeHelper.add(request, &state) }
                call.reply()
                tell()
            case SharingInterface.RemoveDevice.name:
                let request = try call.request(of: SharingInterface.RemoveDevice.self)
                try helper.use { state in
                    state.calls.append("remove \(request.device)")
                    guard let place = state.status.devices.firstIndex(where: { $0.identifier == request.device }) else {
                        throw SharingError.noSuchDevice(device: request.device)
                    }
                    state.status.devices.remove(at: place)
                }
                call.reply()
            default: call.fail(VarlinkError("org.varlink.service.MethodNotImplemented"))
            }
        }
    }

    private static func share(
        _ request: SharingInterface.Share.Request, _ state: inout State
    ) throws -> [SharedFolderMessage] {
        state.calls.append(
            "share \(request.container) with \(request.devices.map { $0.prefix(7) }.joined(separator: ","))")
        for device in request.devices where !state.status.devices.contains(where: { $0.identifier == device }) {
            throw SharingError.noSuchDevice(device: device)
        }
        let place =
            state.status.folders.firstIndex { $0.container == request.container } ?? state.status.folders.endIndex
        if place == state.status.folders.endIndex {
            state.status.folders.append(
                SharedFolderMessage(
                    identifier: "gather-\(request.container)", container: request.container, path: "/somewhere",
                    state: "idle", items: 0, bytes: 0, missing: 0, missingBytes: 0, shares: []))
        }
        for device in request.devices where !state.status.folders[place].shares.contains(where: { $0.device == device })
        {
            state.status.folders[place].shares.append(
                FolderShare(device: device, completion: 100, missing: 0, missingBytes: 0))
        }
        state.status.offers.removeAll { $0.container == request.container && request.devices.contains($0.device) }
        return [state.status.folders[place]]
    }

    private static func unshare(_ request: SharingInterface.Unshare.Request, _ state: inout State) throws {
        let devices = request.devices
        state.calls.append(
            "unshare \(request.container) with \(devices.map { $0.map { $0.prefix(7) }.joined(separator: ",") } ?? "all")"
        )
        guard let place = state.status.folders.firstIndex(where: { $0.container == request.container }) else {
            throw SharingError.notShared(identifier: request.container)
        }
        if let devices {
            state.status.folders[place].shares.removeAll { devices.contains($0.device) }
        } else {
            state.status.folders.remove(at: place)
        }
    }

    private static func add(_ request: SharingInterface.AddDevice.Request, _ state: inout State) throws {
        let addresses = request.addresses.map { " at \($0.joined(separator: ","))" } ?? ""
        state.calls.append("add \(request.device.prefix(7)) as \(request.name ?? "-")\(addresses)")
        guard request.device.hasSuffix("2222222") else { throw SharingError.invalidDevice(device: request.device) }
        state.status.devices.removeAll { $0.identifier == request.device }
        state.status.devices.append(
            SharedDevice(identifier: request.device, name: request.name ?? "", here: false, connected: false))
    }
}
