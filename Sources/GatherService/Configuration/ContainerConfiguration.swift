// What a container is: an identifier, a directory, and how to read it.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// A container as it is configured, wherever that was done.
package struct ContainerConfiguration: Sendable, Equatable {
    /// Where a container comes from, which decides whether it may be removed at run time.
    package enum Origin: Sendable, Equatable {
        case file(String)
        case runtime
        case argument

        /// The form on the wire: the file's path, `runtime` or `argument`.
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
    package var origin: Origin

    /// A checked container.
    ///
    /// - Throws: a sentence on what is wrong with the identifier, the path or a list.
    package init(
        identifier: String, path: String, packages: [String] = [], ignore: [String] = [], origin: Origin
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
                    "an identifier is made of letters, digits, '.', '-' and '_' and begins with none of '.' and '-'")
        }
        let bytes = ([path] + packages + ignore).reduce(0) { $0 + $1.utf8.count + 1 }
        guard bytes <= Limits.containerBytes else {
            throw InvalidContainer(
                identifier: identifier,
                message: "its path, packages and ignore have more than \(Limits.containerBytes) bytes together")
        }
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw InvalidContainer(identifier: identifier, message: "path '\(path)' is not absolute")
        }
        guard !path.split(separator: "/").contains("..") else {
            throw InvalidContainer(
                identifier: identifier, message: "path '\(path)' has '..' in it; write where that leads")
        }
        for name in packages where name.isEmpty || name.utf8.contains(UInt8(ascii: "/")) || name.hasPrefix(".") {
            throw InvalidContainer(
                identifier: identifier, message: "'\(name)' in packages is not an extension (write it without the dot)")
        }
        for glob in ignore where glob.isEmpty || glob.utf8.contains(UInt8(ascii: "/")) || glob.utf8.contains(0) {
            throw InvalidContainer(
                identifier: identifier, message: "'\(glob)' in ignore is not a glob for a name (it may not hold a '/')")
        }
        self.identifier = identifier
        self.path = ContainerConfiguration.normalized(path)
        self.packages = packages
        self.ignore = ignore
        self.origin = origin
    }

    /// A container of the command line, `ID=PATH`; a relative path is one from the working directory.
    package init(argument: String) throws(ConfigurationError) {
        guard let equals = argument.firstIndex(of: "=") else {
            throw ConfigurationError(file: "--container", message: "'\(argument)' is not of the form ID=PATH")
        }
        var path = String(argument[argument.index(after: equals)...])
        if !path.hasPrefix("/"), let here = getcwd(nil, 0) {
            path = String(cString: here) + "/" + path
            free(here)
        }
        do {
            try self.init(identifier: String(argument[..<equals]), path: path, origin: .argument)
        } catch {
            throw ConfigurationError(file: "--container", message: "'\(argument)': \(error.message)")
        }
    }

    /// The path without doubled or trailing slashes and without `.` parts.
    static func normalized(_ path: String) -> String {
        "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }

    /// The path with its symlinks followed, as far as it exists.
    var resolvedPath: String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The directories below the outer one down to the inner one, with that; nil where it does not lie inside.
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
        // In bytes, without a string for each pair.
        let (outer, inner) = (outer.utf8, inner.utf8)
        guard inner.count > outer.count, inner.starts(with: outer) else { return false }
        return inner[inner.index(inner.startIndex, offsetBy: outer.count)] == UInt8(ascii: "/")
    }

    static func isMountPoint(_ path: String) -> Bool {
        (try? EntryStatus(of: path, in: Entry.workingDirectory))?.isMountRoot == true
    }
}
