// The description saved with a container's index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// The description saved with a container's index: the time, and the container's configuration.
struct SnapshotDescription: Equatable {
    /// The daemon's sequence at the save.
    var sequence: UInt64
    /// The segment of the journal that begins with ``sequence``.
    var segment: UInt64
    var time: Timestamp
    /// The part of the configuration that determines the index.
    var configuration: String
    /// Whether a file system was mounted on the container's directory. At a start it may not be mounted yet.
    var isMountPoint: Bool
    /// The daemon's sequence at the last change of access that the index does not have. ``SavedAncestorAccess`` has the access
    /// since.
    var accessChanged: UInt64
    /// The access since ``accessChanged`` (``SavedAncestorAccess``).
    var ancestorAccess: [UInt8]

    /// Returns the part of a configuration that determines an index. An index of another configuration is unusable.
    private static func text(of configuration: ContainerConfiguration) -> String {
        let lists = [configuration.packages, configuration.ignoredNames].map { $0.joined(separator: "\u{1}") }
        return ([configuration.identifier, configuration.path] + lists).joined(separator: "\u{2}")
    }

    /// Returns whether the index can serve a container with this configuration. A different list of packages can be
    /// applied afterwards, unless the new one is empty (`Engine.setPackages(of:by:)`).
    func fits(_ wanted: ContainerConfiguration) -> Bool {
        let text = SnapshotDescription.text(of: wanted)
        if configuration == text { return true }
        func parts(_ text: String) -> [Substring] { text.split(separator: "\u{2}", omittingEmptySubsequences: false) }
        var (before, now) = (parts(configuration), parts(text))
        guard before.count == now.count, now.count > 2, !wanted.packages.isEmpty else { return false }
        (before[2], now[2]) = ("", "")
        return before == now
    }

    init(
        sequence: UInt64, segment: UInt64, time: Timestamp, configuration: ContainerConfiguration,
        isMountPoint: Bool = false, accessChanged: UInt64 = 0, ancestorAccess: [UInt8] = []
    ) {
        self.sequence = sequence
        self.segment = segment
        self.time = time
        self.configuration = SnapshotDescription.text(of: configuration)
        self.isMountPoint = isMountPoint
        self.accessChanged = accessChanged
        self.ancestorAccess = ancestorAccess
    }

    var bytes: [UInt8] {
        let mount = isMountPoint ? 1 : 0
        let head =
            "\(sequence) \(segment) \(time.nanoseconds) \(mount) \(accessChanged) \(SavedAncestorAccess.text(ancestorAccess))"
        return Array("\(head)\n\(configuration)".utf8)
    }

    init?(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self), let end = text.firstIndex(of: "\n") else {
            return nil
        }
        let numbers = text[..<end].split(separator: " ")
        guard numbers.count == 6, let sequence = UInt64(numbers[0]), let segment = UInt64(numbers[1]),
            max(sequence, segment) <= JournalFormat.largestNumber,
            let time = Int64(numbers[2]), let mount = Int(numbers[3]), 0...1 ~= mount,
            let accessChanged = UInt64(numbers[4]), let ancestorAccess = SavedAncestorAccess.bytes(text: numbers[5])
        else { return nil }
        self.sequence = sequence
        self.segment = segment
        self.time = Timestamp(nanoseconds: time)
        isMountPoint = mount == 1
        self.accessChanged = accessChanged
        self.ancestorAccess = ancestorAccess
        configuration = String(text[text.index(after: end)...])
    }
}
