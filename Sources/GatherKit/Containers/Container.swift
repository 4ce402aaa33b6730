// A container as an application uses it.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
internal import LinuxSystem

/// A watched directory tree with an identifier, in which an application keeps its files so that queries find them.
///
/// The files in ``documents()`` are the container's documents scope, the files of its user. All other files are its
/// data scope.
public struct Container: Sendable, Hashable, Identifiable {
    /// The identifier.
    public let identifier: ContainerIdentifier
    /// The container's directory, on the machine of the daemon. ``documents()`` is inside it.
    public let data: FilePath
    /// The daemon that watches it.
    public let daemon: Daemon

    /// A client of the daemon.
    public var client: GatherClient { GatherClient(daemon: daemon) }

    /// The identifier.
    public var id: ContainerIdentifier { identifier }

    /// Asks the daemon for a container.
    ///
    /// - Throws: ``GatherError/Code/noSuchContainer`` if it does not exist, or if this user may not read it.
    public init(identifier: ContainerIdentifier, daemon: Daemon = .automatic) async throws(GatherError) {
        let status = try await GatherClient(daemon: daemon).container(identifier)
        self.identifier = status.identifier
        data = FilePath(status.path)
        self.daemon = daemon
        guard daemon.host == nil else { return }
        ContainerRoots.add(data.bytes)
        KnownContainers.set(status, of: daemon)
    }

    /// Refuses a container of another machine, since its path is that of other files here.
    package func requireHere() throws(GatherError) {
        guard let host = daemon.host else { return }
        throw GatherError(
            code: .containerUnavailable,
            message: "the container '\(identifier)' is on \(host): its files and devices cannot be reached from here",
            subject: identifier.rawValue)
    }

    /// The name of the documents directory.
    static let documentsName = "Documents"

    /// Returns the container's documents directory, and makes it if it is missing. The container's own directory is
    /// never made. A symbolic link in its place is refused.
    ///
    /// - Throws: ``GatherError/Code/containerUnavailable`` if it cannot be made, or if the container is on another machine.
    public func documents() throws(GatherError) -> FilePath {
        try requireHere()
        let path = data.appending(Container.documentsName)
        do throws(KnownContainers.Failure) {
            let directory = try KnownContainers.open(data.bytes, access: .path)
            do throws(SystemError) { try Container.makeDocuments(in: directory.number) } catch { throw .system(error) }
            return path
        } catch {
            let reason =
                switch error {
                case .system(let error): error.description
                case .stranger(let stranger, _): stranger.reason
                }
            throw GatherError(
                code: .containerUnavailable,
                message: "the directory \(path) of the container '\(identifier)' cannot be made: \(reason)",
                subject: path.string)
        }
    }

    private static func makeDocuments(in directory: CInt) throws(SystemError) {
        do throws(SystemError) {
            try Directory.make(Container.documentsName, in: directory, mode: 0o777)
        } catch {
            guard error == .exists else { throw error }
            guard try EntryStatus(of: Container.documentsName, in: directory).isDirectory else { throw .notDirectory }
        }
    }

    /// Returns the present status of the container.
    public func status() async throws(GatherError) -> ContainerStatus { try await client.container(identifier) }

    /// Whether the container is available now: its directory exists and can be read. Queries are exact only if
    /// ``ContainerStatus/state`` is live, too.
    ///
    /// - Throws: ``GatherError`` if the daemon cannot be asked.
    public func isAvailable() async throws(GatherError) -> Bool {
        do throws(GatherError) { return try await status().state != .unavailable } catch {
            guard error.code == .noSuchContainer else { throw error }
            return false
        }
    }

    /// The availability of the container, now and at each change.
    public var availability: ContainerAvailability { ContainerAvailability(identifier: identifier, daemon: daemon) }

    /// The identity of the container, now and at each change; nil while it has none or is unavailable.
    public var identity: ContainerIdentities { ContainerIdentities(identifier: identifier, daemon: daemon) }

    /// The devices that the container is shared with, as the sharing helper tells. The daemon may run without it.
    ///
    /// - Throws: ``GatherError/Code/unreachable`` if the helper does not run, ``GatherError/Code/syncNotRunning`` if
    ///   Syncthing does not answer it. ``GatherError/Code/containerUnavailable`` if the container is on another machine, whose
    ///   helper cannot be asked.
    public var devices: [SharingDevice] {
        get async throws(GatherError) {
            try requireHere()
            return try await SharingClient(daemon: daemon).devices(of: identifier)
        }
    }
}
