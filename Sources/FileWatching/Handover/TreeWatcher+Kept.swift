// Telling the next process what it needs to go on with the watches that there are, once a turn.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

// The inotify descriptor outlives the process, and with it the watches and what is queued. What the next process needs beside
// that and the saved indexes is said in two steps around the writing of the journal (``KeptMemory``). A directory is complete
// when it has its watch and all that a reading of it has found is in the tree, or stands in the ``TurnState``. What is going on
// and caused by events needs no word: these stay in the ring until it is done, and are heard once more.
extension TreeWatcher {
    /// From now on the next process is told. Before the first container is added.
    package func keep(in kept: KeptMemory) {
        handover = HandoverWriter(memory: kept)
        events.begin(at: kept.ring.tail)
        directories.notesChanges = true
    }

    /// Before the journal is written up to `sequence`, and what stands in it is true: takes back what is so no more, and says
    /// what is going on.
    package func prepareKept(sequence: UInt64) {
        guard handover != nil, !resumption.isAwaitingContainers else { return }
        noteKeptDirectories()
        handover?.takeBack(keptEntry(ofSlot:))
        for container in containers.values where handover?.goesOn(with: container.number) == true {
            let flags = flags(of: container)
            if !flags.contains(.exact) { handover?.tell(flags, of: container.number, key: container.key) }
        }
        handover?.tell(turnState, sequence: sequence)
    }

    /// Changes are not saved for now: the next process is to know of nothing, as what it were told of would be missing there.
    /// What is told from ``prepareKept(sequence:)`` on is told from the beginning.
    package func withdrawKept() {
        guard !resumption.isAwaitingContainers else { return }
        handover?.withdraw(directories: directories.records.count)
    }

    /// At the end of a turn, with all of it in the journal, which goes up to `sequence`: takes back and says what is known now, and
    /// lets go of the events that the next process knows of.
    package func settleKept(sequence: UInt64) {
        guard handover != nil, !resumption.isAwaitingContainers else { return }
        prepareKept(sequence: sequence)
        // What waits to be looked at since a directory was read comes before the word that it was.
        handover?.tellAgain(turnState, hasWork: hasWorkOfItsOwn)
        handover?.tell(keptEntry(ofSlot:))
        for container in containers.values {
            handover?.tell(flags(of: container), of: container.number, key: container.key)
        }
        if mounts.isKnown, lookUps.isEmpty, deferredLookUps.isEmpty, !mounts.isLacking { handover?.tell(mounts.all) }
        // Causes of what was asked for from outside lie just before the next record, and behind the last that was heard.
        let settled = (settledPosition + EventRing.alignment - 1) & ~(EventRing.alignment - 1)
        handover?.memory.ring.release(to: settled)
        forgetOrphans()
    }

    private func noteKeptDirectories() { handover?.note(directories.takeNoted(), of: directories.records.count) }

    /// What the next process is to know of a directory.
    private func keptEntry(ofSlot slot: Int32) -> KeptEntry? {
        let record = directories.records[Int(slot)]
        guard record.flags.contains(.alive), record.watch > 0, let key = containers[record.node.container]?.key,
            key != 0
        else { return nil }
        let isComplete =
            record.flags.contains(.wasRead)
            && record.flags.isDisjoint(with: [.unreadable, .unwatched, .needsReading, .reading, .changedMeanwhile])
        return KeptEntry(
            watch: record.watch, depth: record.depth, isComplete: isComplete, device: record.device,
            inode: record.inode, key: key)
    }

    /// Whether events alone keep what is known of a container right, those of the directories apart that are not complete.
    /// Polls and the self-audit are of no account: what they would find nobody was promised. But one that has watched a
    /// directory, which events alone keep right from then on, holds what it has found there until it ends.
    private func flags(of container: WatchedContainer) -> KeptContainer.Flags {
        guard container.failure == nil, container.rootError == nil, !container.isParked, !container.isEnclosed,
            !container.isUnmounted
        else { return .wasUnavailable }
        guard container.fileSystem == nil else { return .wasPolled }
        guard container.wasCrawled, container.firstCrawl == nil else { return .wasBeingRead }
        guard container.comparison.map({ $0.isPoll && !$0.hasWatched }) ?? true, container.nextComparison == nil,
            container.nextFill == nil
        else { return .wasBeingCompared }
        var flags = KeptContainer.Flags.exact
        if container.options.readsExtras { flags.insert(.readsExtras) }
        if container.isMountPoint { flags.insert(.isMountPoint) }
        return flags
    }

    // MARK: What is going on

    /// Whether something waits that no event causes again.
    private var hasWorkOfItsOwn: Bool {
        !ahead.isEmpty || lookUps.unheard > 0 || halves.hasNoted || !deferredLookUps.isEmpty || !linkedFiles.isEmpty
            || !detachedRows.containers.isEmpty
    }

    private var turnState: TurnState {
        var state = TurnState()
        state.heard = position
        var room = WatchLimits.keptNames
        func key(_ number: UInt32) -> UInt64 { containers[number]?.key ?? 0 }
        ahead.forEach(at: position, most: WatchLimits.keptNames / 2) { node, doubt, end in
            let end = min(end, TurnState.Ahead.untilLookedAt)
            state.ahead.append(.init(key: key(node.container), row: node.row, doubt: doubt, end: end))
        }
        func add(_ id: DirectoryID, _ name: UnsafeRawBufferPointer) {
            guard directories.isAlive(id) else { return }
            room -= 1
            guard room >= 0 else { return }
            let record = directories[id]
            state.names.append(
                .init(
                    key: key(record.node.container),
                    directory: InodeNumber(device: record.device, inode: record.inode), name: Array(name)))
        }
        // Not a million of them, to find the few or none that events do not ask for again.
        if lookUps.unheard > WatchLimits.keptNames {
            room = -1
        } else if lookUps.unheard > 0 {
            lookUps.forEach { entry, name in
                if !entry.isHeard { add(entry.directory, name) }
            }
        }
        for half in halves.notedOnes where !half.isAside && directories.isAlive(half.directory) {
            let parent = directories[half.directory].node
            guard let node = half.name.withUnsafeBytes({ tree.child(of: parent, named: $0) }) else { continue }
            state.halves.append(.init(cookie: half.cookie, key: key(node.container), row: node.row))
        }
        for lookUp in deferredLookUps { lookUp.name.withUnsafeBytes { add(lookUp.directory, $0) } }
        state.files = linkedFiles.files
        var roomAside = WatchLimits.keptAside
        for number in detachedRows.containers {
            let bytes = tree.savedAside(of: number, limit: roomAside)
            roomAside -= bytes.count
            if !bytes.isEmpty { state.asides.append(.init(key: key(number), bytes: bytes)) }
        }
        if room < 0 || state.ahead.count + state.files.count + state.halves.count > WatchLimits.keptNames {
            state.isWhole = false
        }
        return state
    }
}
