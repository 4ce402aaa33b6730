// The files that other devices lack.
// SPDX-License-Identifier: Apache-2.0

import Syncthing

/// Knows which items of a folder each of its other devices lacks, and how far it has fetched them. Syncthing is asked
/// about a device after an event says that it may have got or lost something. Events of devices that do not have the
/// folder are ignored.
struct DeviceNeeds {
    private let devices: Set<String>
    /// The devices that may have got or lost something since they were asked about.
    private var doubtful: Set<String>
    /// The paths that each device lacks.
    private var needs: [String: Set<String>] = [:]
    /// The blocks that each device has of files that it fetches.
    private var fetchedBlocks: [String: [String: Int64]] = [:]
    /// The blocks of such a file in all.
    private var blockCounts: [String: Int64] = [:]

    /// Makes the needs of devices, of which nothing is known yet.
    init(_ devices: some Sequence<String>) {
        self.devices = Set(devices)
        doubtful = self.devices
    }

    // MARK: Doubts

    /// Whether Syncthing has to be asked about a device.
    var hasDoubts: Bool { !doubtful.isEmpty }

    /// Notes that any device may lack other items than before.
    mutating func doubtAll() { doubtful = devices }

    /// Takes the number of items that a device lacks. Deletions count there and are not kept here, so only zero is certain.
    mutating func note(missing count: Int64, device: String) {
        guard devices.contains(device), (count == 0) != (needs[device]?.isEmpty ?? true) else { return }
        doubtful.insert(device)
    }

    /// Returns a device that Syncthing has to be asked about; nil if there is none. Events of the time until the answer put it in doubt
    /// again.
    mutating func takeDoubtful() -> String? { doubtful.popFirst() }

    // MARK: Answers and events

    /// Takes the versions that a device lacks.
    mutating func take(_ records: [FileRecord], device: String) {
        needs[device] = Set(records.filter { !$0.isDeleted }.map(\.name))
    }

    /// Takes the blocks that a device has of the files that it fetches. It fetches no other files.
    mutating func take(blocks: [String: Int64], device: String) {
        if devices.contains(device) { fetchedBlocks[device] = blocks }
    }

    /// Notes that a device is connected no more.
    mutating func disconnected(_ device: String) { fetchedBlocks[device] = nil }

    /// Notes that events were lost.
    mutating func lostEvents() {
        doubtAll()
        fetchedBlocks.removeAll()
    }

    /// Returns the files that devices fetch and whose ``note(blocks:of:)`` is missing. The blocks of others are forgotten.
    mutating func uncounted() -> Set<String> {
        let fetched = Set(fetchedBlocks.values.flatMap(\.keys))
        blockCounts = blockCounts.filter { fetched.contains($0.key) }
        return fetched.filter { blockCounts[$0] == nil }
    }

    /// Notes the blocks of a file in all.
    mutating func note(blocks: Int64, of part: String) { blockCounts[part] = blocks }

    // MARK: States

    /// The items that any device lacks.
    var parts: Set<String> { needs.values.reduce(into: []) { $0.formUnion($1) } }

    /// Adds ``parts`` to a set.
    func addParts(to set: inout Set<String>) { for paths in needs.values { set.formUnion(paths) } }

    /// Whether a device lacks an item.
    func lacks(_ device: String, _ part: String) -> Bool { needs[device]?.contains(part) ?? false }

    /// Returns the progress of the device that has fetched most of a file; nil if none fetches it. The total is 0 while it is not known.
    func progress(of part: String, on devices: [String]) -> TransferProgress? {
        devices.compactMap { fetchedBlocks[$0]?[part] }.max()
            .map { TransferProgress(done: $0, total: blockCounts[part] ?? 0) }
    }
}
