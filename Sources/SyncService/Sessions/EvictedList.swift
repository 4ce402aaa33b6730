// The lists of evicted files that devices exchange.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The list of a device's evicted files in a folder. Syncthing takes it to the others, which would not hear otherwise that the
/// device lacks these files: to Syncthing an ignored file is as good as one that is there.
enum EvictedList {
    private static let prefix = "evicted-"
    /// The longest list that is read, in bytes.
    private static let longest = 16 << 20

    /// Returns the path below the folder of the list of a device, by its short identifier.
    static func part(_ device: String) -> String { "\(ReplicatedFile.directory)/\(prefix)\(device)" }

    /// Returns the lists in a folder, by the short identifier of the device.
    static func all(in folder: String) -> [String: Set<String>] {
        var lists: [String: Set<String>] = [:]
        for name in DirectoryNames.of("\(folder)/\(ReplicatedFile.directory)") ?? [] where name.hasPrefix(prefix) {
            lists[String(name.dropFirst(prefix.count))] = read(name, in: folder)
        }
        return lists
    }

    /// A list that cannot be read is as good as none.
    private static func read(_ name: String, in folder: String) -> Set<String> {
        let bytes = (try? ReplicatedFile.read(name, in: folder, limit: longest)) ?? []
        return Set(bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })
    }

    /// Replaces the list of a device. An empty one is removed.
    static func write(_ paths: Set<String>, of device: String, in folder: String) throws(SystemError) {
        if paths.isEmpty { return try ReplicatedFile.remove(prefix + device, in: folder) }
        let text = paths.sorted().joined(separator: "\n") + "\n"
        try ReplicatedFile.write(Array(text.utf8), prefix + device, in: folder)
    }
}
