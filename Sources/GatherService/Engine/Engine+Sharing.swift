// A container is shared from now on, or is not.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Logging
import MetadataIndex

extension Engine {
    /// Goes on with a description of a container that is shared, or is not any more, and is as before else: no item leaves a result
    /// and comes back. False, and nothing is done, where the container has to be read anew: anything else differs, it is not exact
    /// yet or away, or it has items with names that are none in a shared one. Calls `then` once its items are those of the
    /// description.
    func setSharing(
        of record: ContainerRecord, by configuration: ContainerConfiguration, then: @escaping () -> Void = {}
    ) -> Bool {
        var same = record.configuration
        same.sync = configuration.sync
        guard same == configuration, !record.index.isParked, !isHeld(record), !state(of: record).isSettling,
            watcher.figures(of: record.number).outstanding == 0,
            !hasItem(record, named: IgnoredNames(configuration.ignoredNames))
        else { return false }
        endSync(of: record)
        absorb(record)
        record.set(sync: configuration.sync)
        record.saving.isDirty = true
        absorb(record)
        watcher.setIgnored(record.number, globs: configuration.ignoredNames)
        monitors.stateChanged()
        logger.info(
            "container '\(record.identifier)' is \(configuration.sync == nil ? "not shared any more" : "shared from now on")",
            metadata: ["container": "\(record.identifier)"])
        if configuration.sync == nil {
            // The program's own files are items now.
            watcher.rescan(record.number) { [self] _ in completions.append(then) }
        } else {
            then()
        }
        turn()
        return true
    }

    /// Whether an item of a container has one of these names. Complexity: O(rows).
    private func hasItem(_ record: ContainerRecord, named names: IgnoredNames) -> Bool {
        let snapshot = record.index.snapshot()
        for block in 0..<snapshot.blockCount {
            var isFound = false
            snapshot.liveRows(inBlock: block).forEach { place in
                let row = IndexSnapshot.row(block: block, place: place)
                if row != .root, !isFound { isFound = snapshot.withName(of: row) { names.contains($0) } }
            }
            if isFound { return true }
        }
        return false
    }
}
