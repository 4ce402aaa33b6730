// The lists of evicted files that devices exchange.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// The list of a device's evicted files in a folder. Syncthing takes it to the others, which would not hear otherwise that the
/// device lacks these files: to Syncthing an ignored file is as good as one that is there.
struct EvictedList: Sendable, Equatable {
    private static let prefix = "evicted-"
    /// The longest list that is read or written, in bytes.
    private static let longest = 16 << 20

    /// The paths below the folder, as far as they are known.
    private(set) var paths: Set<String> = []
    /// Whether there is a list that cannot be read, so that any file may be in it.
    private(set) var isUnknown = false

    /// Whether the device may have evicted a file.
    func mayHave(_ part: String) -> Bool { isUnknown || paths.contains(part) }

    /// Returns the path below the folder of the list of a device, by its short identifier.
    static func part(_ device: String) -> String { "\(ReplicatedFile.directory)/\(prefix)\(device)" }

    /// Returns the lists of other devices than one in a folder, by the short identifier of the device.
    static func all(in folder: String, but own: String) -> [String: EvictedList] {
        let names = DirectoryNames.of("\(folder)/\(ReplicatedFile.directory)") ?? []
        let devices = names.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
            .filter { ConflictName.isDevice($0) && $0 != own }
        return Dictionary(
            uniqueKeysWithValues: devices.prefix(SyncLimits.savedLists).map { ($0, read($0, in: folder)) })
    }

    /// Returns the list of a device in a folder.
    static func read(_ device: String, in folder: String) -> EvictedList {
        var list = EvictedList()
        do throws(SystemError) {
            let bytes = try ReplicatedFile.read(prefix + device, in: folder, limit: longest)
            list.paths = Set(bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })
        } catch {
            list.isUnknown = error != .noEntry
        }
        return list
    }

    /// Replaces the list of a device. An empty one is removed.
    ///
    /// - Throws: `EFBIG` (`.tooLarge`) for a list that no device would read.
    static func write(_ paths: Set<String>, of device: String, in folder: String) throws(SystemError) {
        if paths.isEmpty { return try ReplicatedFile.remove(prefix + device, in: folder) }
        let text = paths.sorted().joined(separator: "\n") + "\n"
        if text.utf8.count > longest { throw .tooLarge }
        try ReplicatedFile.write(Array(text.utf8), prefix + device, in: folder)
    }
}
