// The list of the versions that a device saved.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The list of the versions that a device saved, the oldest first. Syncthing takes it to the other devices, which read there who
/// wrote a version in conflict. Only the device's own helper writes it, so it has no conflicts.
///
/// A line is `HASH TIME`: SHA-256 in 64 hexadecimal digits, and the time of the save as RFC 3339 in UTC with nanoseconds. Later
/// versions of Gather may add fields, after a blank each. They are kept. Other lines are left out.
struct SavedList {
    private static let prefix = "saved-"
    /// The longest line that is read, in bytes.
    private static let longestLine = 512
    private static let longestList = SyncLimits.savedVersions * (longestLine + 1)

    private(set) var versions: [SavedVersion] = []
    /// The lines, as long as ``versions``.
    private var lines: [String] = []

    init() {}

    /// Reads a list. If there are too many lines, the last ones count.
    init(parsing bytes: [UInt8]) {
        for line in bytes.split(separator: UInt8(ascii: "\n")).suffix(SyncLimits.savedVersions) {
            guard line.count <= SavedList.longestLine, let text = String(validating: line, as: UTF8.self) else {
                continue
            }
            let fields = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count >= 2, let version = SavedVersion(hash: fields[0], modified: fields[1]) else { continue }
            versions.append(version)
            lines.append(text)
        }
    }

    /// The list as a file has it.
    var bytes: [UInt8] { Array(lines.joined(separator: "\n").utf8) + (lines.isEmpty ? [] : [UInt8(ascii: "\n")]) }

    /// Adds versions that it does not have. The oldest go if there are too many, and those of `former`. Returns whether there is
    /// anything new: else the list stays as it is.
    mutating func add(_ new: [SavedVersion], removing former: Set<SavedVersion> = []) -> Bool {
        var known = Set(versions).union(former)
        let added = new.filter { known.insert($0).inserted }
        guard !added.isEmpty else { return false }
        let kept = versions.indices.filter { !former.contains(versions[$0]) }
        versions = (kept.map { versions[$0] } + added).suffix(SyncLimits.savedVersions)
        lines = (kept.map { lines[$0] } + added.map(\.text)).suffix(SyncLimits.savedVersions)
        return true
    }

    // MARK: Files

    /// Returns the name of the list of a device, by its short identifier.
    static func name(_ device: String) -> String { prefix + device }

    /// Returns the device whose list has a name; nil for another name. The caller checks the form of the device.
    static func device(of name: String) -> String? {
        name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
    }

    /// Returns the list of a device in a folder. One that cannot be read is as good as an empty one.
    static func read(_ device: String, in folder: String) -> SavedList {
        let bytes = try? ReplicatedFile.read(name(device), in: folder, limit: longestList)
        return SavedList(parsing: bytes ?? [])
    }
}
