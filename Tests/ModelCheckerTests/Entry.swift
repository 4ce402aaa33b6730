// An entry of the tree, and all of them, as readdir, lstat and getxattr show them: the truth.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import IdentityModel

/// One entry as a walk finds it.
struct Entry {
    /// The identifier of its container.
    var container: String
    /// Absolute.
    var path: Bytes
    /// How many names below the container's directory.
    var depth: Int
    var kind: String
    var size: Int
    var modified: timespec
    var changed: timespec
    var inode: UInt64
    var links: Int
    var mode: Int
    var tags: [String]
    /// The value of the attribute that the churn sets, where it has one that is text.
    var value: String?
    /// The package that it lies inside.
    var package: Bytes?

    var name: Bytes { Bytes(path[(path.lastIndex(of: UInt8(ascii: "/"))! + 1)...]) }
    /// The name as text, with U+FFFD for what is not UTF-8.
    var nameText: String { String(decoding: name, as: UTF8.self) }
    var isDirectory: Bool { kind == "directory" || kind == "package" }
    var isFile: Bool { kind == "file" }

    /// The extended attribute that the churn sets beside the tags, without `user.`.
    static let churned = "gather.test"
    static let churnedAttribute = "xattr." + churned

    /// Everything below `directory`, a container's own.
    static func walk(_ container: String, _ directory: Bytes) -> [Entry] {
        var entries: [Entry] = []
        walk(container, directory, 1, &entries)
        return entries
    }

    private static func walk(_ container: String, _ directory: Bytes, _ depth: Int, _ entries: inout [Entry]) {
        for name in Files.names(in: directory) {
            let path = directory.entry(name)
            guard let status = Files.status(path) else { continue }
            let kind = kind(status.st_mode)
            let hasAttributes = kind == "file" || kind == "directory"
            entries.append(
                Entry(
                    container: container, path: path, depth: depth, kind: kind, size: Int(status.st_size),
                    modified: status.st_mtim, changed: status.st_ctim, inode: UInt64(status.st_ino),
                    links: Int(status.st_nlink), mode: Int(status.st_mode & 0o7777),
                    tags: hasAttributes ? tags(of: path) : [], value: hasAttributes ? value(of: path) : nil))
            if kind == "directory" { walk(container, path, depth + 1, &entries) }
        }
    }

    private static func kind(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFDIR: "directory"
        case S_IFLNK: "symlink"
        case S_IFIFO: "fifo"
        case S_IFREG: "file"
        default: "other"
        }
    }

    private static func tags(of path: Bytes) -> [String] {
        guard let value = Files.attribute("user.xdg.tags", of: path) else { return [] }
        return value.split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func value(of path: Bytes) -> String? {
        Files.attribute("user." + churned, of: path).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The attributes as one text, the same that ``text(_:of:)`` makes of what the daemon says.
    func text(_ attributes: [String]) -> String {
        attributes.map { attribute in
            switch attribute {
            case "kind": "kind=\(kind)"
            case "size": "size=\(size)"
            case "modified": "modified=\(Entry.time(modified))"
            case "changed": "changed=\(Entry.time(changed))"
            case "inode": "inode=\(inode)"
            case "links": "links=\(links)"
            case "mode": "mode=\(mode)"
            case "depth": "depth=\(depth)"
            case "tags": "tags=\(tags.joined(separator: ","))"
            case Entry.churnedAttribute: Entry.text(of: value)
            default: attribute
            }
        }.joined(separator: " ")
    }

    static func text(_ attributes: [String], of item: [String: Any]) -> String {
        attributes.map { attribute in
            let value = item[attribute]
            if attribute == churnedAttribute {
                return text(of: (item["extended"] as? [String: Any])?[churned] as? String)
            }
            if attribute == "tags" { return "tags=\((value as? [String] ?? []).joined(separator: ","))" }
            return "\(attribute)=\(value.map { "\($0)" } ?? "")"
        }.joined(separator: " ")
    }

    /// An empty value is one.
    private static func text(of value: String?) -> String { churned + (value.map { "=" + $0 } ?? " is not there") }

    /// RFC 3339 in UTC with nanoseconds, by the C library.
    private static func time(_ time: timespec) -> String {
        var seconds = time.tv_sec
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func padded(_ value: Int, _ digits: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
        }
        let date = [
            padded(Int(parts.tm_year) + 1900, 4), padded(Int(parts.tm_mon) + 1, 2), padded(Int(parts.tm_mday), 2),
        ]
        let day = [padded(Int(parts.tm_hour), 2), padded(Int(parts.tm_min), 2), padded(Int(parts.tm_sec), 2)]
        return date.joined(separator: "-") + "T" + day.joined(separator: ":") + "." + padded(time.tv_nsec, 9) + "Z"
    }
}
