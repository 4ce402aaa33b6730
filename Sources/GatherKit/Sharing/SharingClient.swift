// Asynchronous requests to the sharing helper.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// Shares containers with other devices, and tells how far they are.
///
/// Syncthing carries the files. The helper `gather-syncd` speaks with it and serves this client. A client is a value
/// without a connection: each call connects by itself. Only root and the user of the helper may change anything.
///
/// ```swift
/// let sharing = SharingClient()
/// for try await status in sharing.statuses {
///     for folder in status.folders { print(folder.container, folder.isInStep) }
/// }
/// ```
public struct SharingClient: Sendable, Hashable {
    /// The helper.
    private let socket: SharingSocket

    /// Makes a client of the helper that goes with a daemon.
    public init(daemon: Daemon = .automatic) { self.init(socket: daemon.sharing) }

    /// Makes a client of the helper at a socket.
    package init(socket: SharingSocket) { self.socket = socket }

    // MARK: The state

    /// Returns the state of sharing.
    ///
    /// - Throws: ``GatherError/Code/unreachable`` if the helper does not run. If Syncthing does not answer, this is no
    ///   error: ``SharingStatus/isRunning`` is false.
    public func status() async throws(GatherError) -> SharingStatus {
        SharingStatus(try await call(SharingInterface.Status.self, SharingInterface.Status.Request()))
    }

    /// The state of sharing, now and at each change, at most once a second.
    public var statuses: SharingStatuses { SharingStatuses(socket: socket) }

    /// Returns the devices that a container is shared with, in the order of ``SharingStatus/devices``.
    ///
    /// - Throws: ``GatherError/Code/syncNotRunning`` if Syncthing does not answer.
    public func devices(of container: ContainerIdentifier) async throws(GatherError) -> [SharingDevice] {
        let status = try await status()
        guard status.isRunning else { throw GatherError(syncNotRunning: status.reason) }
        return status.devices(of: container)
    }

    /// Compares the settings of Syncthing with those that Gather needs. Returns the differences.
    public func check() async throws(GatherError) -> [SharingFinding] {
        try await call(SharingInterface.Check.self, SharingInterface.Check.Request()).findings
            .map { SharingFinding($0) }
    }

    // MARK: Containers

    /// Shares a container with devices, beside those that it is shared with. Returns its folders, which are made where
    /// there are none.
    ///
    /// - Parameters:
    ///   - container: The identifier of a container that gatherd knows as shared (`sync`).
    ///   - devices: The identifiers of the devices; none only makes the folders.
    /// - Throws: ``GatherError/Code/noSuchContainer``, ``GatherError/Code/notShared`` if gatherd does not know the
    ///   container as shared, ``GatherError/Code/noSuchDevice``, or ``GatherError/Code/syncNotRunning``.
    @discardableResult
    public func share(
        _ container: ContainerIdentifier, with devices: [String] = []
    ) async throws(GatherError) -> [SharedFolder] {
        let request = SharingInterface.Share.Request(container: container.rawValue, devices: devices)
        return try await call(SharingInterface.Share.self, request).folders.map { SharedFolder($0) }
    }

    /// Shares a container no longer. No file is removed.
    ///
    /// - Parameters:
    ///   - container: The identifier of the container.
    ///   - devices: The identifiers of the devices that lose it; nil for all.
    public func unshare(_ container: ContainerIdentifier, with devices: [String]? = nil) async throws(GatherError) {
        let request = SharingInterface.Unshare.Request(container: container.rawValue, devices: devices)
        _ = try await call(SharingInterface.Unshare.self, request)
    }

    // MARK: Devices

    /// Adds a device, which may connect from then on.
    ///
    /// - Parameters:
    ///   - device: Its identifier.
    ///   - name: A name for people; nil for its own.
    ///   - addresses: Addresses such as `tcp://192.168.1.7:22000`; nil to find it.
    /// - Throws: ``GatherError/Code/invalidDevice`` if the identifier has a mistake.
    public func addDevice(
        _ device: String, name: String? = nil, addresses: [String]? = nil
    ) async throws(GatherError) {
        let request = SharingInterface.AddDevice.Request(device: device, name: name, addresses: addresses)
        _ = try await call(SharingInterface.AddDevice.self, request)
    }

    /// Removes a device. It gets nothing from then on, and keeps its copy.
    public func removeDevice(_ device: String) async throws(GatherError) {
        _ = try await call(
            SharingInterface.RemoveDevice.self, SharingInterface.RemoveDevice.Request(device: device))
    }

    // MARK: Items

    /// Frees the copies here of items, once another device is known to have their present versions.
    ///
    /// - Parameters:
    ///   - paths: Absolute paths.
    ///   - progress: Called for each item.
    /// - Throws: ``GatherError/Code/notUploaded`` if an item is not safe elsewhere. ``GatherError/Code/notImplemented``
    ///   if the helper does not offer this.
    public func evict(
        _ paths: [String], progress: (EvictedItem) -> Void = { _ in }
    ) async throws(GatherError) {
        let request = SharingInterface.Evict.Request(paths: paths)
        var replies = try await Session.connect(socket).callMore(SharingInterface.Evict.self, request)
            .makeAsyncIterator()
        while let reply = try await replies.next() {
            progress(EvictedItem(path: reply.path, bytes: Int(clamping: reply.bytes)))
        }
    }

    /// Brings evicted items back. Returns when all are here.
    ///
    /// - Parameters:
    ///   - paths: Absolute paths.
    ///   - progress: Called as it goes on.
    public func download(
        _ paths: [String], progress: (DownloadProgress) -> Void = { _ in }
    ) async throws(GatherError) {
        let request = SharingInterface.Download.Request(paths: paths)
        var replies = try await Session.connect(socket).callMore(SharingInterface.Download.self, request)
            .makeAsyncIterator()
        while let reply = try await replies.next() {
            progress(
                DownloadProgress(
                    path: reply.path, done: Int(clamping: reply.done), total: Int(clamping: reply.total)))
        }
    }

    private func call<Method: VarlinkMethod>(
        _ method: Method.Type, _ request: Method.Request
    ) async throws(GatherError) -> Method.Reply {
        try await Session.connect(socket).call(method, request)
    }
}
