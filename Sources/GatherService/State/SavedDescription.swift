// What is saved with a container's index.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import MetadataIndex

/// What is saved with a container's index: when, and what the container was.
struct SavedDescription: Equatable {
    /// The daemon's sequence at that moment.
    var sequence: UInt64
    /// The segment of the journal that begins with it.
    var segment: UInt64
    var time: Timestamp
    /// The configuration that the index follows from.
    var configuration: String
    /// Whether a file system was mounted on the container's directory: at a start it may not be there yet.
    var isMountPoint: Bool
    /// The daemon's sequence when it changed last who may see what for another reason than a change of the index.
    var accessChanged: UInt64
    /// How that is since: see ``SavedPassage``.
    var passage: [UInt8]

    /// What of a configuration an index follows from: an index of another one is of no use.
    private static func text(of configuration: ContainerConfiguration) -> String {
        let lists = [configuration.packages, configuration.ignore].map { $0.joined(separator: "\u{1}") }
        return ([configuration.identifier, configuration.path] + lists).joined(separator: "\u{2}")
    }

    /// Whether the index is of use for a container that is configured so: which directories are packages can be looked at
    /// anew, unless there are to be none from now on (`Engine.setPackages(of:by:)`).
    func fits(_ wanted: ContainerConfiguration) -> Bool {
        let text = SavedDescription.text(of: wanted)
        if configuration == text { return true }
        func parts(_ text: String) -> [Substring] { text.split(separator: "\u{2}", omittingEmptySubsequences: false) }
        var (before, now) = (parts(configuration), parts(text))
        guard before.count == now.count, now.count > 2, !wanted.packages.isEmpty else { return false }
        (before[2], now[2]) = ("", "")
        return before == now
    }

    init(
        sequence: UInt64, segment: UInt64, time: Timestamp, configuration: ContainerConfiguration,
        isMountPoint: Bool = false, accessChanged: UInt64 = 0, passage: [UInt8] = []
    ) {
        self.sequence = sequence
        self.segment = segment
        self.time = time
        self.configuration = SavedDescription.text(of: configuration)
        self.isMountPoint = isMountPoint
        self.accessChanged = accessChanged
        self.passage = passage
    }

    var bytes: [UInt8] {
        let mount = isMountPoint ? 1 : 0
        let head = "\(sequence) \(segment) \(time.nanoseconds) \(mount) \(accessChanged) \(SavedPassage.text(passage))"
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
            let accessChanged = UInt64(numbers[4]), let passage = SavedPassage.bytes(text: numbers[5])
        else { return nil }
        self.sequence = sequence
        self.segment = segment
        self.time = Timestamp(nanoseconds: time)
        isMountPoint = mount == 1
        self.accessChanged = accessChanged
        self.passage = passage
        configuration = String(text[text.index(after: end)...])
    }
}
