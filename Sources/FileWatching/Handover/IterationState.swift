// The work under way when the journal was written, for the process that goes on from there.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The work under way at the end of an iteration, beside the work that unprocessed events cause again when they are read once
/// more. Everything in it may be done twice.
package struct IterationState {
    /// A name that waits to be looked at for another reason than an event that names it.
    struct Name: Equatable {
        var key: UInt64
        var directory: InodeNumber
        var name: [UInt8]
    }

    /// A provisional row: its look-up is newer than the event position, and the events that explain it lie before
    /// `end`.
    struct Provisional: Equatable {
        /// The end of one that must be looked at whatever is heard.
        static let untilLookedAt: UInt64 = 1 << 62 - 1

        var key: UInt64
        var row: UInt32
        var doubt: ProvisionalRows.Doubt
        var end: UInt64
    }

    /// A pending rename whose row has got another place while it waits, or whose `IN_MOVED_TO` was held.
    struct Rename: Equatable {
        var cookie: UInt32
        var key: UInt64
        var row: UInt32
    }

    /// The detached rows of a container, as the tree has them (``WatchedTree/savedDetached(of:limit:)``).
    struct Detached: Equatable {
        var key: UInt64
        var bytes: [UInt8]
    }

    /// Renames that were heard before this position have moved their rows. They must not do so again.
    var received: UInt64 = 0
    /// Whether everything had room.
    var isWhole = true
    var provisionalRows: [Provisional] = []
    /// Files with several names, all of which are to be looked at.
    var files: [InodeNumber] = []
    var names: [Name] = []
    var renames: [Rename] = []
    /// Only identities hang on these: where they have no room the rest is whole without.
    var detached: [Detached] = []

    /// Tells it from an earlier one for the same number.
    private(set) var count: UInt64 = 0

    init() {}

    /// Whether there is no work but that which events cause again.
    var isEmpty: Bool {
        isWhole && provisionalRows.isEmpty && files.isEmpty && names.isEmpty && renames.isEmpty && detached.isEmpty
    }

    private static let headerSize = 72

    /// Reads the state of a number; nil for another number, or where it is damaged.
    init?(_ bytes: UnsafeRawBufferPointer, sequence: UInt64) {
        guard bytes.count >= IterationState.headerSize, let base = bytes.baseAddress,
            SharedWord.load(base) == ~sequence
        else { return nil }
        received = SharedWord.load(base + 8)
        let whole = SharedWord.load(base + 16)
        guard whole <= 1, received < 1 << 62 else { return nil }
        isWhole = whole == 1
        let counts = (0..<5).map { SharedWord.load(base + 24 + 8 * $0) }
        count = SharedWord.load(base + 64)
        guard counts.allSatisfy({ $0 <= UInt64(bytes.count) }) else { return nil }
        var offset = IterationState.headerSize
        func word() -> UInt64? {
            guard bytes.count - offset >= 8 else { return nil }
            defer { offset += 8 }
            return bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        func text(_ most: UInt64) -> [UInt8]? {
            guard let length = word(), length <= most, bytes.count - offset >= Int(length) else { return nil }
            defer { offset += Int(length) }
            return Array(bytes[offset..<offset + Int(length)])
        }
        for _ in 0..<counts[0] {
            guard let key = word(), let row = word().flatMap({ UInt32(exactly: $0) }),
                let doubt = word().flatMap(ProvisionalRows.Doubt.init), let end = word(), end < 1 << 62
            else { return nil }
            provisionalRows.append(Provisional(key: key, row: row, doubt: doubt, end: end))
        }
        for _ in 0..<counts[1] {
            guard let device = word(), let inode = word() else { return nil }
            files.append(InodeNumber(device: device, inode: inode))
        }
        for _ in 0..<counts[2] {
            guard let key = word(), let device = word(), let inode = word(),
                let name = text(UInt64(WatchLimits.nameLength)), EventRing.isName(name) || name.isEmpty
            else { return nil }
            names.append(Name(key: key, directory: InodeNumber(device: device, inode: inode), name: name))
        }
        for _ in 0..<counts[3] {
            guard let cookie = word().flatMap({ UInt32(exactly: $0) }), let key = word(),
                let row = word().flatMap({ UInt32(exactly: $0) })
            else { return nil }
            renames.append(Rename(cookie: cookie, key: key, row: row))
        }
        for _ in 0..<counts[4] {
            guard let key = word(), let saved = text(UInt64(bytes.count)) else { return nil }
            detached.append(Detached(key: key, bytes: saved))
        }
    }

    /// The number that stands there.
    static func sequence(at address: UnsafeRawPointer) -> UInt64 { ~SharedWord.load(address) }

    private var byteCount: Int {
        IterationState.headerSize + provisionalRows.count * 32 + files.count * 16
            + names.reduce(0) { $0 + 32 + $1.name.count }
            + renames.count * 24 + detached.reduce(0) { $0 + 16 + $1.bytes.count }
    }

    /// Writes it over a state that is of no use any more: the number, inverted so that memory never written has none,
    /// comes last.
    func write(to bytes: UnsafeMutableRawBufferPointer, sequence: UInt64, count: UInt64) {
        guard let base = bytes.baseAddress else { return }
        if byteCount > bytes.count, !detached.isEmpty {
            var rest = self
            rest.detached = []
            return rest.write(to: bytes, sequence: sequence, count: count)
        }
        // A number that is never reached.
        SharedWord.store(0, to: base)
        let fits = isWhole && byteCount <= bytes.count
        SharedWord.store(received, to: base + 8)
        SharedWord.store(fits ? 1 : 0, to: base + 16)
        for (place, number) in [
            provisionalRows.count, files.count, names.count, renames.count, detached.count,
        ].enumerated() {
            SharedWord.store(fits ? UInt64(number) : 0, to: base + 24 + 8 * place)
        }
        SharedWord.store(count, to: base + 64)
        if fits {
            var offset = IterationState.headerSize
            func put(_ word: UInt64) {
                bytes.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
                offset += 8
            }
            func put(_ text: [UInt8]) {
                put(UInt64(text.count))
                UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + text.count]).copyBytes(from: text)
                offset += text.count
            }
            for row in provisionalRows {
                put(row.key)
                put(UInt64(row.row))
                put(row.doubt.rawValue)
                put(row.end)
            }
            for file in files {
                put(file.device)
                put(file.inode)
            }
            for name in names {
                put(name.key)
                put(name.directory.device)
                put(name.directory.inode)
                put(name.name)
            }
            for rename in renames {
                put(UInt64(rename.cookie))
                put(rename.key)
                put(UInt64(rename.row))
            }
            for rows in detached {
                put(rows.key)
                put(rows.bytes)
            }
        }
        SharedWord.store(~sequence, to: base)
    }
}
