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
        self.kept = kept
        position = kept.ring.tail
        directories.notesChanges = true
    }

    /// Before the journal is written up to `sequence`, and what stands in it is true: takes back what is so no more, and says
    /// what is going on.
    package func prepareKept(sequence: UInt64) {
        guard let kept, !isAwaitingContainers else { return }
        isKeptWithdrawn = false
        noteKeptDirectories()
        for slot in keptNoted where keptEntry(ofSlot: slot) != keptEntries[Int(slot)] {
            guard keptEntries[Int(slot)] != nil else { continue }
            _ = kept.set(Int(slot), to: nil)
            keptEntries[Int(slot)] = nil
        }
        for container in containers.values where keptFlags[container.number]?.contains(.exact) == true {
            let flags = flags(of: container)
            if flags.contains(.exact) { continue }
            keptFlags[container.number] = flags
            kept.set(container.key, to: flags)
        }
        guard sequence != keptSequence else { return }
        keptSequence = sequence
        tellState(in: kept)
    }

    /// Changes are not saved for now: the next process is to know of nothing, as what it were told of would be missing there.
    /// What is told from ``prepareKept(sequence:)`` on is told from the beginning.
    package func withdrawKept() {
        guard let kept, !isKeptWithdrawn, !isAwaitingContainers else { return }
        isKeptWithdrawn = true
        kept.clear()
        (keptEntries, keptFlags, keptMounts, keptSequence, hasKeptState) = ([], [:], nil, nil, false)
        // Those of which it is not known any more that they may have changed.
        keptNoted = directories.records.indices.map { Int32($0) }
    }

    /// At the end of a turn, with all of it in the journal: says what is known now, and lets go of the events that it knows of.
    package func settleKept() {
        guard let kept, !isAwaitingContainers, keptSequence != nil else { return }
        // What waits to be looked at since a directory was read comes before the word that it was.
        if hasKeptState || hasWorkOfItsOwn { tellState(in: kept) }
        noteKeptDirectories()
        for slot in keptNoted {
            let entry = keptEntry(ofSlot: slot)
            guard entry != keptEntries[Int(slot)] else { continue }
            keptEntries[Int(slot)] = kept.set(Int(slot), to: entry) ? entry : nil
        }
        keptNoted.removeAll(keepingCapacity: true)
        for container in containers.values where container.key != 0 {
            let flags = flags(of: container)
            guard keptFlags[container.number] != flags else { continue }
            keptFlags[container.number] = flags
            kept.set(container.key, to: flags)
        }
        if let mounts = knownMounts, mounts != keptMounts, lookUps.isEmpty, deferredLookUps.isEmpty, !lacksMounts {
            keptMounts = mounts
            kept.set(mounts: mounts)
        }
        kept.ring.release(to: settledPosition)
        forgetOrphans()
    }

    private func noteKeptDirectories() {
        keptNoted += directories.takeNoted()
        if keptEntries.count < directories.records.count {
            keptEntries += Array(repeating: nil, count: directories.records.count - keptEntries.count)
        }
    }

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

    private func tellState(in kept: KeptMemory) {
        guard let sequence = keptSequence else { return }
        let state = turnState
        hasKeptState = !state.isEmpty
        kept.set(state, sequence: sequence)
    }

    /// Whether something waits that no event causes again.
    private var hasWorkOfItsOwn: Bool {
        !ahead.isEmpty || lookUps.unheard > 0 || halves.hasNoted || !deferredLookUps.isEmpty || !linkNews.isEmpty
            || !linkedFiles.isEmpty || !crawledLinks.isEmpty || !strays.isEmpty || !containersWithAside.isEmpty
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
        state.files = Array(Set(linkNews.keys).union(linkedFiles.keys).union(strays.keys))
        for links in crawledLinks.values { state.files += links.keys }
        var roomAside = WatchLimits.keptAside
        for number in containersWithAside {
            let bytes = tree.savedAside(of: number, limit: roomAside)
            roomAside -= bytes.count
            if !bytes.isEmpty { state.asides.append(.init(key: key(number), bytes: bytes)) }
        }
        if room < 0 || state.ahead.count + state.files.count + state.halves.count > WatchLimits.keptNames {
            state.isWhole = false
        }
        return state
    }

    /// The position before which all that events have told is in the tree, with whatever came of it: nobody needs those events.
    private var settledPosition: UInt64 {
        var first = position
        func consider(_ cause: UInt64) { first = min(first, cause) }
        for task in tasks.values { consider(task.cause) }
        for cause in awaitedReads.values { consider(cause) }
        if let cause = halves.leastCause { consider(cause) }
        for lookUp in deferredLookUps { consider(lookUp.origin.cause) }
        if !lookUps.isEmpty { consider(lookUps.leastCause) }
        for queue in [patientLookUps, hotLookUps] {
            if let oldest = queue.oldestCause { consider(oldest) }
        }
        for news in linkNews.values { consider(news.origin.cause) }
        for origin in linkedFiles.values { consider(origin.cause) }
        for stray in strays.values { consider(stray.cause) }
        for links in crawledLinks.values { for origin in links.values { consider(origin.cause) } }
        for held in heldEvents.values { consider(held.cause) }
        for cause in suspects.values { consider(cause) }
        // Causes of what was asked for from outside lie just before the next record, and behind the last that was heard.
        return (first + EventRing.alignment - 1) & ~(EventRing.alignment - 1)
    }
}
