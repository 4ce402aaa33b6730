// The configuration of a container: an identifier, a directory, and how to read it.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// The configuration of a container, from any source.
package struct ContainerConfiguration: Sendable, Equatable {
    /// The source of a container. Only containers added at run time can be removed at run time.
    package enum Origin: Sendable, Equatable {
        case file(String)
        case runtime
        case argument

        /// The text in replies: the file's path, `runtime` or `argument`.
        package var text: String {
            switch self {
            case .file(let path): path
            case .runtime: "runtime"
            case .argument: "argument"
            }
        }
    }

    /// A reverse-domain name or a plain word, unique in the daemon.
    package var identifier: String
    /// The absolute path of its directory.
    package var path: String
    /// Extensions, without their dot, that make a directory one item.
    package var packages: [String]
    /// Globs of names that are not read.
    package var ignore: [String]
    /// The program that shares the container with other devices; nil for a container that is not shared.
    package var sync: SyncProgram?
    package var origin: Origin

    /// Makes a checked configuration.
    ///
    /// - Throws: A sentence about the fault of the identifier, the path or a list.
    package init(
        identifier: String, path: String, packages: [String] = [], ignore: [String] = [], sync: String? = nil,
        origin: Origin
    ) throws(InvalidContainer) {
        let word = identifier.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard identifier.utf8.count <= Limits.identifierBytes else {
            throw InvalidContainer(
                identifier: identifier, message: "an identifier has at most \(Limits.identifierBytes) bytes")
        }
        guard word, let first = identifier.utf8.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-") else {
            throw InvalidContainer(
                identifier: identifier,
                message:
                    "an identifier consists of letters, digits, '.', '-' and '_', and does not begin with '.' or '-'")
        }
        let bytes = ([path] + packages + ignore).reduce(0) { $0 + $1.utf8.count + 1 }
        guard bytes <= Limits.containerBytes else {
            throw InvalidContainer(
                identifier: identifier,
                message: "its path, packages and ignore have more than \(Limits.containerBytes) bytes together")
        }
        guard !path.isEmpty else {
            throw InvalidContainer(identifier: identifier, message: "its path is empty; write an absolute path")
        }
        guard !path.utf8.contains(0) else {
            throw InvalidContainer(identifier: identifier, message: "its path contains a NUL byte")
        }
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw InvalidContainer(
                identifier: identifier, message: "path '\(path)' is relative; write an absolute path")
        }
        guard !path.split(separator: "/").contains("..") else {
            throw InvalidContainer(
                identifier: identifier, message: "path '\(path)' contains '..'; write the path without it")
        }
        for name in packages where name.isEmpty || name.utf8.contains(UInt8(ascii: "/")) || name.hasPrefix(".") {
            throw InvalidContainer(
                identifier: identifier,
                message: "'\(name)' in packages is no extension; write it without a dot or slash")
        }
        for glob in ignore where glob.isEmpty || glob.utf8.contains(UInt8(ascii: "/")) || glob.utf8.contains(0) {
            throw InvalidContainer(
                identifier: identifier, message: "'\(glob)' in ignore is no glob for a name; write it without '/'")
        }
        if let sync, SyncProgram(rawValue: sync) == nil {
            throw InvalidContainer(
                identifier: identifier, message: "'\(sync)' in sync is no known program; the known one is 'syncthing'")
        }
        self.sync = sync.flatMap { SyncProgram(rawValue: $0) }
        self.identifier = identifier
        self.path = ContainerConfiguration.normalized(path)
        self.packages = packages
        self.ignore = ignore
        self.origin = origin
    }

    /// Reads a container of the command line, `ID=PATH`. Throws for a relative path: `home=$UNSET` must not watch the
    /// working directory.
    package init(argument: String) throws(ConfigurationError) {
        guard let equals = argument.firstIndex(of: "=") else {
            throw ConfigurationError(file: "--container", message: "'\(argument)' has no '='; write NAME=/DIRECTORY")
        }
        let path = String(argument[argument.index(after: equals)...])
        guard !path.isEmpty else {
            throw ConfigurationError(
                file: "--container",
                message: "'\(argument)' has an empty path, perhaps of an unset variable; write an absolute path")
        }
        do {
            try self.init(identifier: String(argument[..<equals]), path: path, origin: .argument)
        } catch {
            throw ConfigurationError(file: "--container", message: "'\(argument)': \(error.message)")
        }
    }

    /// Whether another container has the same identifier but for upper and lower case. People, and the file systems of some devices
    /// that it may be shared with, take both for one.
    func isNamedLike(_ other: ContainerConfiguration) -> Bool {
        identifier != other.identifier && identifier.lowercased() == other.identifier.lowercased()
    }

    /// The reason for which no other container is added whose identifier differs in upper and lower case alone.
    var namesake: String {
        "its name differs from that of container '\(identifier)' at \(path) in upper and lower case alone"
    }

    /// Globs of names that are not read, those of the program that shares the container included.
    var ignoredNames: [String] { ignore + (sync?.ownNames ?? []) }

    /// Returns a path without doubled or trailing slashes and without `.` components.
    static func normalized(_ path: String) -> String {
        "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }

    /// Returns why a path is no directory now, as a sentence; nil if it is one.
    static func directoryFault(at path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return errno == ENOENT
                ? "there is no such directory yet; its items come once it is there" : String(cString: strerror(errno))
        }
        return status.st_mode & S_IFMT == S_IFDIR ? nil : "this is no directory"
    }

    /// The path with symbolic links resolved, as far as it exists.
    var resolvedPath: String { ContainerConfiguration.resolved(path) }

    /// Returns a path with symbolic links resolved up to the first mount that may hang, or the path itself if it does not
    /// exist.
    static func resolved(_ path: String) -> String {
        MountPaths.resolve(path) ?? path
    }

    /// Returns the directories below the outer one down to and with the inner one; nil if that is not inside the outer
    /// one.
    static func way(from outer: String, to inner: String) -> [String]? {
        guard inner != outer, holds(outer, inner) else { return nil }
        var way: [String] = []
        var path = inner
        while path.utf8.count > outer.utf8.count, path != "/" {
            way.append(path)
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { break }
            path = String(path[..<slash])
        }
        return way
    }

    static func holds(_ outer: String, _ inner: String) -> Bool {
        if inner == outer || outer == "/" { return true }
        // Compares bytes, so that no string is made for each pair.
        let (outer, inner) = (outer.utf8, inner.utf8)
        guard inner.count > outer.count, inner.starts(with: outer) else { return false }
        return inner[inner.index(inner.startIndex, offsetBy: outer.count)] == UInt8(ascii: "/")
    }

    static func isMountPoint(_ path: String) -> Bool { MountPaths.isMountPoint(path) }
}
