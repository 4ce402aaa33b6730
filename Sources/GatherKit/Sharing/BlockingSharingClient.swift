// Requests to the sharing helper from a short process, without threads or an event loop.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
internal import Varlink

/// A ``SharingClient`` on one blocking socket. Each call blocks its thread, for a limited time. After an error the client
/// must not be used.
package struct BlockingSharingClient: ~Copyable {
    /// The longest wait for an answer. Syncthing writes its configuration anew for each change of it.
    private static let answerTime = Duration.seconds(60)

    private var client: BlockingVarlinkClient
    private let socket: SharingSocket

    /// Connects to the helper.
    package init(_ socket: SharingSocket) throws(GatherError) {
        self.socket = socket
        client = BlockingVarlinkClient(descriptor: try socket.connect(), life: AnswerTime.usual.life(of: socket.path))
    }

    /// Returns the state of sharing.
    package mutating func status() throws(GatherError) -> SharingStatus {
        SharingStatus(try call(SharingInterface.Status.self, SharingInterface.Status.Request()))
    }

    /// Passes the state to `body` now and after each change, and nil after each `time` without one, until `body`
    /// returns false.
    package mutating func monitor(
        every time: Duration, _ body: (SharingStatus?) throws -> Bool
    ) throws {
        try stream(SharingInterface.Status.self, SharingInterface.Status.Request(), every: time) { reply in
            try body(reply.map { SharingStatus($0) })
        }
    }

    /// Returns the differences between the settings of Syncthing and those that Gather needs.
    package mutating func check() throws(GatherError) -> [SharingFinding] {
        try call(SharingInterface.Check.self, SharingInterface.Check.Request()).findings.map { SharingFinding($0) }
    }

    /// Shares a container with more devices.
    package mutating func share(
        _ container: ContainerIdentifier, with devices: [String]
    ) throws(GatherError) -> [SharedFolder] {
        let request = SharingInterface.Share.Request(container: container.rawValue, devices: devices)
        return try call(SharingInterface.Share.self, request).folders.map { SharedFolder($0) }
    }

    /// Shares a container no longer with these devices; nil for all.
    package mutating func unshare(_ container: ContainerIdentifier, with devices: [String]?) throws(GatherError) {
        let request = SharingInterface.Unshare.Request(container: container.rawValue, devices: devices)
        _ = try call(SharingInterface.Unshare.self, request)
    }

    /// Adds a device.
    package mutating func addDevice(_ device: String, name: String?, addresses: [String]?) throws(GatherError) {
        let request = SharingInterface.AddDevice.Request(device: device, name: name, addresses: addresses)
        _ = try call(SharingInterface.AddDevice.self, request)
    }

    /// Removes a device.
    package mutating func removeDevice(_ device: String) throws(GatherError) {
        _ = try call(
            SharingInterface.RemoveDevice.self, SharingInterface.RemoveDevice.Request(device: device))
    }

    /// Frees the copies here of items, and passes each to `body`.
    package mutating func evict(_ paths: [String], _ body: (EvictedItem) throws -> Void) throws {
        try stream(SharingInterface.Evict.self, SharingInterface.Evict.Request(paths: paths)) { reply in
            if let reply { try body(EvictedItem(path: reply.path, bytes: Int(clamping: reply.bytes))) }
            return true
        }
    }

    /// Brings evicted items back, and passes the progress to `body`. Waits as long as it takes.
    package mutating func download(_ paths: [String], _ body: (DownloadProgress) throws -> Void) throws {
        try stream(SharingInterface.Download.self, SharingInterface.Download.Request(paths: paths)) { reply in
            if let reply {
                try body(
                    DownloadProgress(
                        path: reply.path, done: Int(clamping: reply.done), total: Int(clamping: reply.total)))
            }
            return true
        }
    }

    /// Calls a method with `more`. Passes each reply to `body`, and nil after each `time` without one, until the last
    /// reply, or until `body` returns false.
    private mutating func stream<Method: VarlinkMethod>(
        _ method: Method.Type, _ request: Method.Request, every time: Duration = Self.answerTime,
        _ body: (Method.Reply?) throws -> Bool
    ) throws {
        do throws(VarlinkClientError) {
            try client.begin(Method.name, JSONBytes(request), more: true)
        } catch {
            throw socket.error(error)
        }
        while true {
            let message: Method.Reply?
            var isLast = false
            do throws(VarlinkClientError) {
                if let reply = try client.nextReply(within: time) {
                    message = try reply.parameters.reply(of: method)
                    isLast = !reply.continues
                } else {
                    message = nil
                }
            } catch {
                throw socket.error(error)
            }
            guard try body(message), !isLast else { return }
        }
    }

    private mutating func call<Method: VarlinkMethod>(
        _ method: Method.Type, _ request: Method.Request
    ) throws(GatherError) -> Method.Reply {
        do throws(VarlinkClientError) {
            try client.begin(Method.name, JSONBytes(request), more: false)
            if let reply = try client.nextReply(within: Self.answerTime) {
                return try reply.parameters.reply(of: method)
            }
        } catch {
            throw socket.error(error)
        }
        throw GatherError(
            code: .connectionLost,
            message: "gather-syncd at \(socket.path) has not answered within \(Self.answerTime.components.seconds) s",
            subject: socket.path)
    }
}
