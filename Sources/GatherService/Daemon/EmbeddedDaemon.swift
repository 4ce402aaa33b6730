// The engine within another program: on directories alone, with no socket file, no configuration, and nothing kept.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The daemon inside a program that asks it itself, over socket pairs. It reads no configuration, writes nothing, takes no
/// signals, and tells its callers apart by nothing: they are the program. It ends with ``close()`` or with the process.
package final class EmbeddedDaemon: Sendable {
    /// Why there is no engine, or no connection.
    package enum Failure: Error, Sendable, Equatable {
        /// Directories that cannot be containers, with a sentence on why.
        case directories(String)
        /// An errno of what an engine takes: inotify, threads, sockets.
        case system(CInt)
    }

    private let group: MultiThreadedEventLoopGroup
    private let core: NIOLoopBound<DaemonCore>
    /// Whether it has ended: a loop that has ended answers nobody, and to wait for it would never end.
    private let isClosed = Atomic(false)

    /// Begins to read what lies below some directories, given by absolute paths without symlinks in them. One that lies within
    /// another is part of that, unless a file system is mounted between. Blocks until calls are served, not until anything is
    /// read; not to be called on an event loop.
    ///
    /// - Parameters:
    ///   - watches: Whether changes are noticed; without, no watches are taken, and answers are as of one reading.
    ///   - descends: Whether everything below is read; without, only what lies right in each directory, and none of them may lie
    ///     in another.
    ///   - warn: Called, from any thread, with each sentence that somebody should read.
    package init(
        directories: [String], watches: Bool, descends: Bool = true, warn: @escaping @Sendable (String) -> Void
    ) throws(Failure) {
        let containers: [ContainerConfiguration]
        do throws(ConfigurationError) {
            containers = try EmbeddedDaemon.containers(directories)
        } catch {
            throw .directories("\(error)")
        }
        var options = DaemonOptions(
            configurationFile: nil, configurationIsRequired: false, socket: .embedded, stateDirectory: nil,
            containers: containers, logLevel: .warning)
        options.watches = watches
        options.descends = descends
        options.accounts = .files
        let logger = Logger(label: "gather", factory: { _ in WarningHandler(warn: warn) })
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        self.group = group
        do {
            let core = try loop.submit { [options] in
                NIOLoopBound(
                    try DaemonCore(options: options, observer: SilentObserver(), logger: logger, loop: loop),
                    eventLoop: loop)
            }.wait()
            try loop.flatSubmit { core.value.listen() }.wait()
            self.core = core
        } catch {
            try? group.syncShutdownGracefully()
            throw (error as? SystemError).map { .system($0.code) } ?? .directories("\(error)")
        }
    }

    /// A new connection: its other end, which blocks and is the caller's. From any thread.
    package func connect() throws(Failure) -> CInt {
        var ends: [CInt] = [-1, -1]
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .system(errno) }
        let (core, end) = (core, ends[1])
        group.next().execute { core.value.attach(descriptor: end) }
        return ends[0]
    }

    /// Ends every thread of it, and every connection. Blocks until that is done; not to be called on an event loop. A second
    /// call does nothing.
    package func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let core = core
        try? group.next().flatSubmit { core.value.close() }.wait()
        try? group.syncShutdownGracefully()
    }

    /// A container for each directory that does not lie in another, named after it.
    static func containers(_ directories: [String]) throws(ConfigurationError) -> [ContainerConfiguration] {
        var places = ContainerPlaces()
        // Those that others lie in come first.
        for path in directories.sorted(by: { $0.utf8.count < $1.utf8.count }) {
            let name = identifier(for: path)
            var (identifier, number) = (name, 1)
            while places.container(identifier) != nil {
                number += 1
                identifier = "\(name)-\(number)"
            }
            do {
                let container = try ContainerConfiguration(identifier: identifier, path: path, origin: .argument)
                let place = ContainerPlace(container)
                if places.overlapping(place).isEmpty { places.append(place) }
            } catch {
                throw ConfigurationError(file: path, message: error.message)
            }
        }
        return places.containers
    }

    /// The directory's own name, as far as an identifier can hold it.
    private static func identifier(for path: String) -> String {
        var name = String(path.split(separator: "/").last ?? "root").unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": Character(scalar)
            default: "_"
            }
        }[...]
        while let first = name.first, first == "." || first == "-" { name = name.dropFirst() }
        return name.isEmpty ? "directory" : String(name.prefix(longestName))
    }

    /// Shorter than any limit of identifiers, with room for a number behind it.
    private static let longestName = 64
}

/// Hands on what is worth a warning, as the sentence that it is.
private struct WarningHandler: LogHandler {
    let warn: @Sendable (String) -> Void
    var logLevel: Logger.Level = .warning
    var metadata: Logger.Metadata = [:]

    init(warn: @escaping @Sendable (String) -> Void) { self.warn = warn }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.level >= .warning else { return }
        warn("\(event.message)")
    }
}
