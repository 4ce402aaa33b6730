// The place where an application keeps its files now.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit
internal import LinuxSystem

/// The place where an application keeps its files now: its container, or a folder of this machine while there is none.
///
/// ```swift
/// for try await place in ContainerPlace.changes(of: "notes") {
///     if case .container(let container) = place {
///         let merge = try await LocalContainer(identifier: "notes").move(into: container)
///         for error in merge.left { warn(error.message) }
///     }
///     show(try place.files.folder(["Documents"]))
/// }
/// ```
public enum ContainerPlace: Sendable, Hashable {
    /// The container, whose directory is there.
    case container(Container)
    /// The local folder, and the reason for which the container cannot be used.
    case local(LocalContainer, reason: String)

    /// The folders of the place.
    public var files: any FileContainer {
        switch self {
        case .container(let container): container
        case .local(let local, _): local
        }
    }

    /// Returns the present place. A program that starts while no daemon runs gets the local folder, since only the daemon knows where
    /// the container is. So does one whose container is on another machine.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the container.
    ///   - daemon: The daemon.
    ///   - directory: The directory that has a folder for each local container; nil for the standard one.
    /// - Throws: ``DocumentError`` if there is neither the container nor a local folder.
    public static func current(
        _ identifier: ContainerIdentifier, daemon: Daemon = .automatic, local directory: FilePath? = nil
    ) async throws(DocumentError) -> ContainerPlace {
        let reason: String
        do throws(GatherError) {
            let container = try await Container(identifier: identifier, daemon: daemon)
            try container.requireHere()
            guard let obstacle = await obstacle(to: container) else { return .container(container) }
            reason = obstacle.message
        } catch {
            reason = error.message
        }
        return try await local(identifier, directory, reason)
    }

    /// Returns the present place and each later one.
    public static func changes(
        of identifier: ContainerIdentifier, daemon: Daemon = .automatic, local directory: FilePath? = nil
    ) -> ContainerPlaces { ContainerPlaces(identifier: identifier, daemon: daemon, directory: directory) }

    static func local(
        _ identifier: ContainerIdentifier, _ directory: FilePath?, _ reason: String
    ) async throws(DocumentError) -> ContainerPlace {
        let local = try await BlockingWork.run { () throws(DocumentError) in
            try LocalContainer(identifier: identifier, in: directory)
        }
        return .local(local, reason: reason)
    }

    /// Returns why the directory of a container cannot be opened; nil if it can, and is the container's own.
    static func obstacle(to container: Container) async -> DocumentError? {
        await BlockingWork.run {
            do throws(DocumentError) {
                _ = try Folder(container.data.bytes)
                return nil
            } catch {
                return error
            }
        }
    }
}

/// The places where an application keeps its files, the present one first. It ends when the reading task is cancelled.
///
/// While the daemon does not run, a container that was there stays the place as long as its directory is there.
public struct ContainerPlaces: AsyncSequence, Sendable {
    /// The place.
    public typealias Element = ContainerPlace
    /// The error type of the sequence.
    public typealias Failure = DocumentError

    let identifier: ContainerIdentifier
    let daemon: Daemon
    let directory: FilePath?

    /// Makes an iterator with a connection of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iterator over the places.
    public struct Iterator: AsyncIteratorProtocol {
        private let places: ContainerPlaces
        private var availability: ContainerAvailability.Iterator
        private var last: ContainerPlace?

        fileprivate init(_ places: ContainerPlaces) {
            self.places = places
            availability =
                ContainerAvailability(identifier: places.identifier, daemon: places.daemon).makeAsyncIterator()
        }

        /// Returns the next place; nil when the task is cancelled.
        public mutating func next() async throws(DocumentError) -> ContainerPlace? { try await next(isolation: nil) }

        /// Returns the next place; nil when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(DocumentError) -> ContainerPlace?
        {
            while true {
                let change: ContainerAvailability.Element?
                do throws(GatherError) { change = try await availability.next(isolation: actor) } catch {
                    throw DocumentError(code: .system, message: error.message, path: places.identifier.rawValue)
                }
                guard let change else { return nil }
                let place = try await places.place(after: change, last: last)
                if place == last { continue }
                last = place
                return place
            }
        }
    }

    /// Returns the place after a change of the container.
    fileprivate func place(
        after change: ContainerAvailability.Element, last: ContainerPlace?
    ) async throws(DocumentError) -> ContainerPlace {
        if case .unavailable(let reason) = change {
            if case .container(let container) = last, await ContainerPlace.obstacle(to: container) == nil {
                return .container(container)
            }
            return try await ContainerPlace.local(
                identifier, directory, "the container '\(identifier)' is not available: \(reason)")
        }
        let place = try await ContainerPlace.current(identifier, daemon: daemon, local: directory)
        // The daemon may have ended since it told the change.
        if case .local = place, case .container(let container) = last,
            await ContainerPlace.obstacle(to: container) == nil
        {
            return .container(container)
        }
        return place
    }
}
