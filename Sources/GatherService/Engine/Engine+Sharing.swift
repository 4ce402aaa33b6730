// A container is shared from now on, or is not.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Logging
import MetadataIndex

extension Engine {
    /// Goes on with a description of a container that is shared, or is not any more, and is as before else: no item leaves a result
    /// and comes back. False, and nothing is done, where the container has to be read anew: anything else differs, or it is not exact
    /// yet or away. Calls `then` once its items are those of the description.
    func setSharing(
        of record: ContainerRecord, by configuration: ContainerConfiguration, then: @escaping () -> Void = {}
    ) -> Bool {
        var same = record.configuration
        same.sync = configuration.sync
        guard same == configuration, !record.index.isParked, !isHeld(record), !state(of: record).isSettling,
            watcher.figures(of: record.number).outstanding == 0
        else { return false }
        SyncSessions(engine: self).end(of: record)
        absorb(record)
        record.set(sync: configuration.sync)
        record.saving.noteChange()
        absorb(record)
        let leaving = configuration.sync.map { items(of: record, named: $0.ownNames) } ?? []
        watcher.setIgnored(record.number, globs: configuration.ignoredNames, leaving: leaving)
        monitors.stateChanged()
        logger.info(
            "container '\(record.identifier)' is \(configuration.sync == nil ? "not shared any more" : "shared from now on")",
            metadata: ["container": "\(record.identifier)"])
        if configuration.sync == nil {
            // The program's own files are items now.
            watcher.rescan(record.number) { [self] _ in turns.atEnd(then) }
        } else {
            turns.atEnd(then)
        }
        turn()
        return true
    }

    /// Returns the items of a container that have one of these names. All of them begin with a dot or a tilde. Complexity: O(rows).
    private func items(of record: ContainerRecord, named globs: [String]) -> [TreeNode] {
        let names = IgnoredNames(globs)
        let snapshot = record.index.snapshot()
        var found: [TreeNode] = []
        for block in 0..<snapshot.blockCount {
            snapshot.liveRows(inBlock: block).forEach { place in
                let row = IndexSnapshot.row(block: block, place: place)
                let isOne = snapshot.withName(of: row) { name in
                    (name.first == UInt8(ascii: ".") || name.first == UInt8(ascii: "~")) && names.contains(name)
                }
                if isOne { found.append(TreeNode(container: record.number, row: row.number)) }
            }
        }
        return found
    }
}
