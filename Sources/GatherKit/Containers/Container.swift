// A container as an application uses it: its directories, and whether they are there.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol
internal import Glibc

/// A watched directory tree by its identifier: where an application keeps its files so that queries find them.
///
/// What lies in ``documents()`` is the container's documents scope, what a person would call theirs; everything else is
/// its data scope.
public struct Container: Sendable, Hashable, Identifiable {
    /// The identifier.
    public let identifier: String
    /// The container's directory, in which ``documents()`` lies.
    public let data: String
    /// The daemon that watches it.
    public let client: GatherClient

    /// The identifier.
    public var id: String { identifier }

    /// Asks the daemon for a container.
    ///
    /// - Throws: ``GatherError/Code/noSuchContainer`` where there is none, or none that this user may read.
    public init(identifier: String, client: GatherClient = GatherClient()) async throws(GatherError) {
        let status = try await client.container(identifier)
        self.identifier = status.identifier
        data = status.path
        self.client = client
    }

    /// The name of the directory of a container's documents.
    static let documentsName = "Documents"

    /// The directory of the container's documents, which is made where it is missing. The container's own directory is
    /// never made: where that is gone, so is what was in it.
    public func documents() throws(GatherError) -> String {
        let path = data + "/" + Container.documentsName
        guard mkdir(path, 0o777) != 0 else { return path }
        let code = errno
        var status = stat()
        guard code == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw GatherError(
                code: .containerUnavailable,
                message: "the directory \(path) of the container '\(identifier)' cannot be made: "
                    + String(cString: strerror(code == EEXIST ? ENOTDIR : code)),
                subject: path)
        }
        return path
    }

    /// How the container is now.
    public func status() async throws(GatherError) -> ContainerStatus { try await client.container(identifier) }

    /// Whether the container is there now: its directory exists and can be read. Queries are exact only when
    /// ``ContainerStatus/state`` is live besides.
    ///
    /// - Throws: ``GatherError`` where the daemon cannot be asked.
    public func isAvailable() async throws(GatherError) -> Bool {
        do throws(GatherError) { return try await status().state != .unavailable } catch {
            guard error.code == .noSuchContainer else { throw error }
            return false
        }
    }

    /// Whether the container is there, now and at each change. See ``ContainerAvailability``.
    public var availability: ContainerAvailability { ContainerAvailability(identifier: identifier, client: client) }
}
