// The files of items: read whole, and written so that whoever reads sees the old text or the new, never a half.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

enum ItemFile {
    /// The extended attribute of tags, with commas between (freedesktop.org, "Common extended attributes").
    static let tagsAttribute = "user.xdg.tags"

    /// No file of ours is longer; of another, no more is read.
    private static let maximumBytes = 64 << 10

    /// The item's name: the first line of the file's text. Nil where it cannot be read.
    static func name(at path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: maximumBytes)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            count += got
        }
        let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line, as: UTF8.self)
    }

    /// Writes a new item. Its tags are there when it first appears under its name.
    static func create(_ identifier: ItemIdentifier, in directory: String, name: ItemName, tags: [String])
        throws(Problem)
    {
        try write(name, over: nil, to: directory + "/" + identifier.fileName, tags: tags)
    }

    /// Gives the item another text, and keeps what else the file has: its mode and its extended attributes.
    static func save(_ name: ItemName, to path: String) throws(Problem) {
        try write(name, over: path, to: path, tags: nil)
    }

    /// The tags as the file has them.
    static func tags(at path: String) throws(Problem) -> [String] {
        guard let value = try attribute(tagsAttribute, at: path) else { return [] }
        return String(decoding: value, as: UTF8.self).split(separator: ",").map(String.init)
    }

    /// Sets the tags; none removes the attribute.
    static func setTags(_ tags: [String], at path: String) throws(Problem) {
        if tags.isEmpty {
            guard ExtendedAttributes.remove(tagsAttribute, at: path) || errno == ENODATA else {
                throw failed("cannot untag", path)
            }
        } else {
            let value = Array(tags.joined(separator: ",").utf8)
            guard ExtendedAttributes.set(tagsAttribute, to: value, at: path) else { throw failed("cannot tag", path) }
        }
    }

    /// Removes the item.
    static func remove(_ path: String) throws(Problem) {
        guard unlink(path) == 0 else { throw failed("cannot remove", path) }
    }

    // MARK: Writing

    /// Writes beside the file and renames over it. The name written to meanwhile is none of an item, so no query for items
    /// sees it; `fsync` comes before the rename, so that no crash leaves an empty item.
    private static func write(_ name: ItemName, over former: String?, to path: String, tags: [String]?) throws(Problem)
    {
        let directory = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        let temporary = directory + "/.grocery-" + ItemIdentifier.random().text
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw failed("cannot write to", String(directory)) }
        defer { close(descriptor) }
        do throws(Problem) {
            try writeAll(Array((name.text + "\n").utf8), to: descriptor, temporary)
            if let former { try copyAttributes(from: former, to: descriptor) }
            if let tags, !tags.isEmpty { try setTags(tags, at: temporary) }
            guard fsync(descriptor) == 0 else { throw failed("cannot write", temporary) }
            guard rename(temporary, path) == 0 else { throw failed("cannot save", path) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(Problem) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw failed("cannot write", path)
            }
        }
    }

    /// Copies mode and extended attributes, and owner and group where that is allowed.
    private static func copyAttributes(from path: String, to descriptor: Int32) throws(Problem) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failed("cannot read", path) }
        for name in try attributeNames(at: path) {
            guard let value = try attribute(name, at: path) else { continue }
            let isSet = ExtendedAttributes.set(name, to: value, of: descriptor)
            // Labels and capabilities of others are not ours to set; what is in `user.` is.
            guard isSet || !name.hasPrefix("user.") else { throw failed("cannot copy \(name) of", path) }
        }
        // The owner before the mode: a change of owner clears set-id bits.
        if fchown(descriptor, status.st_uid, status.st_gid) != 0 { _ = fchown(descriptor, .max, status.st_gid) }
        guard fchmod(descriptor, status.st_mode & 0o7777) == 0 else { throw failed("cannot copy the mode of", path) }
    }

    // MARK: Extended attributes

    private static func attributeNames(at path: String) throws(Problem) -> [String] {
        if let names = ExtendedAttributes.names(at: path) { return names }
        guard errno == ENOTSUP else { throw failed("cannot read the attributes of", path) }
        return []
    }

    private static func attribute(_ name: String, at path: String) throws(Problem) -> [UInt8]? {
        if let value = ExtendedAttributes.value(name, at: path) { return value }
        guard errno == ENODATA || errno == ENOTSUP else { throw failed("cannot read the attributes of", path) }
        return nil
    }

    private static func failed(_ what: String, _ path: String) -> Problem {
        Problem("\(what) \(path): \(String(cString: strerror(errno)))")
    }
}
