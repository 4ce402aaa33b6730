// The files of the time zone database, and the name of this process's zone.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// The time zone database (tzfile(5)) and `/etc/localtime`.
package struct ZoneFiles: Sendable {
    /// The largest file that is read. The largest of the database has 4 KiB.
    package static let largestFile = 1 << 20
    /// The most bytes of a zone's name or text.
    package static let longestText = 255

    /// The directory of the database.
    package var directory: String
    /// The file with the zone of the machine.
    package var local: String
    /// The zone of the process by its variable `TZ`, without a colon before it; nil for that of the machine.
    package var own: String?

    /// The database of this process: `TZDIR` or `/usr/share/zoneinfo`, with the variable `TZ`.
    package static var system: ZoneFiles {
        let directory = getenv("TZDIR").map { String(cString: $0) } ?? ""
        let zone = getenv("TZ").map { String(cString: $0) }
        return ZoneFiles(
            directory: directory.isEmpty ? "/usr/share/zoneinfo" : directory,
            own: zone.map { String($0.hasPrefix(":") ? $0.dropFirst() : $0[...]) })
    }

    package init(directory: String, local: String = "/etc/localtime", own: String? = nil) {
        self.directory = directory
        self.local = local
        self.own = own
    }

    /// Returns the path of a name such as `Europe/Berlin`. Nil for every text that may lead out of the database: names come from
    /// callers, and the daemon may read more files than they.
    package func path(of name: String) -> String? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard name.utf8.count <= ZoneFiles.longestText,
            parts.allSatisfy({ part in
                !part.isEmpty && part != "." && part != ".."
                    && part.utf8.allSatisfy { byte in
                        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                            || "+-_.".utf8.contains(byte)
                    }
            })
        else { return nil }
        return directory + "/" + name
    }

    /// Returns the contents of a file; nil if it cannot be read, or is no regular file of this size.
    package static func contents(of path: String) -> [UInt8]? {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        guard let number = try? systemCall({ clinux_openat(AT_FDCWD, path, flags, 0) }) else {
            return nil
        }
        return try? FileBytes.read(Descriptor(owning: CInt(number)), limit: largestFile)
    }

    /// Returns the zone of this process for another one, perhaps on another machine: the variable `TZ`, or the name of the file
    /// to which it or `/etc/localtime` leads. Nil if `/etc/localtime` is a file of its own: its rules have no name.
    package var text: String? {
        guard let own else {
            guard let resolved = ZoneFiles.resolve(local) else { return "UTC" }
            return name(ofFile: resolved)
        }
        if own.isEmpty { return "UTC" }
        guard own.hasPrefix("/") else { return own }
        guard let resolved = ZoneFiles.resolve(own) else { return own }
        return name(ofFile: resolved) ?? (resolved == ZoneFiles.resolve(local) ? nil : own)
    }

    /// The name that a file of a database has; nil for another file. Databases lie in various directories, all named `zoneinfo`.
    private func name(ofFile path: String) -> String? {
        if path.hasPrefix(directory + "/") { return String(path.dropFirst(directory.count + 1)) }
        let parts = path.split(separator: "/")
        guard let place = parts.lastIndex(of: "zoneinfo"), place + 1 < parts.count else { return nil }
        return parts[(place + 1)...].joined(separator: "/")
    }

    private static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
