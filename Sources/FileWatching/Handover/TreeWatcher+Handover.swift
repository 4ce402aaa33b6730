// Writing the handover to the next process, once an iteration.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

// The inotify descriptor outlives the process, and with it the watches and the queued events. Beside that and the saved
// indexes, the next process needs facts that are written in two steps around the writing of the journal
// (``HandoverMemory``). A directory is complete when it has its watch and all that a reading of it has found is in the
// tree, or stands in the ``IterationState``. Work under way that events caused is not written: these events stay in the ring
// until it is done, and are read once more.
extension TreeWatcher {
    /// From now on the next process is told. Before the first container is added.
    package func beginHandover(in memory: HandoverMemory) {
        handover = HandoverWriter(memory: memory)
        events.begin(at: memory.ring.tail)
        directories.notesChanges = true
    }

    /// Call it before the journal is written up to `sequence`, and with its contents true: takes back statements that
    /// no longer hold, and writes the work under way.
    package func prepareHandover(sequence: UInt64) {
        guard handover != nil, !resumption.isAwaitingContainers else { return }
        noteDirectoriesForHandover()
        handover?.takeBack(handoverEntry(ofSlot:))
        for container in containers.values where handover?.allowsResuming(with: container.number) == true {
            let flags = flags(of: container)
            if !flags.contains(.exact) { handover?.write(flags, of: container.number, key: container.key) }
        }
        handover?.write(iterationState, sequence: sequence)
    }

    /// Changes are not saved for now: the next process gets no handover, as the changes would be missing in the
    /// snapshot. From the next ``prepareHandover(sequence:)`` on the handover is written from the beginning.
    package func withdrawHandover() {
        guard !resumption.isAwaitingContainers else { return }
        handover?.withdraw(directories: directories.records.count)
    }

    /// At the end of an iteration, with all of it in the journal, which goes up to `sequence`: takes back and writes the
    /// present facts, and lets go of the events that the next process knows of.
    package func settleHandover(sequence: UInt64) {
        guard handover != nil, !resumption.isAwaitingContainers else { return }
        prepareHandover(sequence: sequence)
        // Names that wait for a look-up since a directory was read are written before the statement that it was read.
        handover?.rewrite(iterationState, hasWork: hasWorkOfItsOwn)
        handover?.write(handoverEntry(ofSlot:))
        for container in containers.values {
            handover?.write(flags(of: container), of: container.number, key: container.key)
        }
        if mounts.isKnown, lookUps.isEmpty, deferredLookUps.isEmpty, !mounts.isLacking { handover?.write(mounts.all) }
        // Event positions of requests from outside lie just before the next record, and behind the last that was read.
        let settled = (settledPosition + EventRing.alignment - 1) & ~(EventRing.alignment - 1)
        handover?.memory.ring.release(to: settled)
        forgetOrphans()
    }

    private func noteDirectoriesForHandover() { handover?.note(directories.takeNoted(), of: directories.records.count) }

    /// Returns the entry of a directory for the next process.
    private func handoverEntry(ofSlot slot: Int32) -> HandoverEntry? {
        let record = directories.records[Int(slot)]
        guard record.flags.contains(.alive), record.watch > 0, let key = containers[record.node.container]?.key,
            key != 0
        else { return nil }
        let isComplete =
            record.flags.contains(.wasRead)
            && record.flags.isDisjoint(with: [.unreadable, .unwatched, .needsReading, .reading, .changedMeanwhile])
        return HandoverEntry(
            watch: record.watch, depth: record.depth, isComplete: isComplete, device: record.device,
            inode: record.inode, key: key)
    }

    /// Whether events alone keep the known entries of a container right, except for directories that are not complete.
    /// Polls and the self-audit do not count: no caller was promised their findings. But one that has watched a
    /// directory, which events alone keep right from then on, holds its findings there until it ends.
    private func flags(of container: WatchedContainer) -> HandoverContainer.Flags {
        guard container.place.isReadable, !container.knowledge.isDetached else { return .wasUnavailable }
        guard container.polling.fileSystem == nil else { return .wasPolled }
        guard container.knowledge.isWhole else { return .wasBeingRead }
        guard container.comparison.map({ $0.isPoll && !$0.hasWatched }) ?? true, !container.comparisons.hasMore else {
            return .wasBeingCompared
        }
        var flags = HandoverContainer.Flags.exact
        if container.options.readsXattrs { flags.insert(.readsXattrs) }
        if container.place.isMountPoint { flags.insert(.isMountPoint) }
        return flags
    }

    // MARK: Work under way

    /// Whether something waits that no event causes again.
    private var hasWorkOfItsOwn: Bool {
        !uncertain.provisional.isEmpty || lookUps.unreceived > 0 || renames.hasNoted || !deferredLookUps.isEmpty
            || !hardLinks.files.isEmpty
            || !uncertain.detached.containers.isEmpty
    }

    private var iterationState: IterationState {
        var state = IterationState()
        state.received = position
        var room = WatchLimits.handoverNames
        func key(_ number: UInt32) -> UInt64 { containers[number]?.key ?? 0 }
        uncertain.provisional.forEach(at: position, most: WatchLimits.handoverNames / 2) { node, doubt, end in
            let end = min(end, IterationState.Provisional.untilLookedAt)
            state.provisionalRows.append(.init(key: key(node.container), row: node.row, doubt: doubt, end: end))
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
        if lookUps.unreceived > WatchLimits.handoverNames {
            room = -1
        } else if lookUps.unreceived > 0 {
            lookUps.forEach { entry, name in
                if !entry.isReceived { add(entry.directory, name) }
            }
        }
        for rename in renames.notedOnes where !rename.isDetached && directories.isAlive(rename.directory) {
            let parent = directories[rename.directory].node
            guard let node = rename.name.withUnsafeBytes({ tree.child(of: parent, named: $0) }) else { continue }
            state.renames.append(.init(cookie: rename.cookie, key: key(node.container), row: node.row))
        }
        for lookUp in deferredLookUps { lookUp.name.withUnsafeBytes { add(lookUp.directory, $0) } }
        state.files = hardLinks.files.files
        var roomForDetached = WatchLimits.handoverDetached
        for number in uncertain.detached.containers {
            let bytes = tree.savedDetached(of: number, limit: roomForDetached)
            roomForDetached -= bytes.count
            if !bytes.isEmpty { state.detached.append(.init(key: key(number), bytes: bytes)) }
        }
        if room < 0 || state.provisionalRows.count + state.files.count + state.renames.count > WatchLimits.handoverNames
        {
            state.isWhole = false
        }
        return state
    }

    /// All containers that there are have been added: reads the events left and those queued meanwhile, all of them
    /// before a look-up, so that every moved row stands where it is now. False where nothing was left.
    @discardableResult
    package func replayEvents() -> Bool {
        guard let start = resumption.takeStart() else { return false }
        // Whose directory has the watch above it, if any, is known now.
        for container in containers.values where container.above.hasWideWatches {
            suspect(container.number, position: positionNow)
        }
        iteration.begin(at: kernel.now())
        takeUp(start)
        resumption.replay(to: start.state.received)
        let end = position + queuedBytes()
        while position < end {
            do throws(SystemError) {
                try kernel.readAhead()
                let records = try kernel.readEvents(atMost: events.readLimit)
                guard records.count > events.undecided else {
                    kernel.giveBack(records.count)
                    break
                }
                receive(records)
            } catch {
                notices.append(.readFailed(error: error))
                break
            }
        }
        finishReplay()
        lookAtMounts(since: start.mounts)
        return true
    }

    /// Looks at the places of mounts that came or went, and at those that may be of other file systems: the numbers of mounts
    /// are others in each process that has its own. The rest is left alone, since to look there may take for ever.
    private func lookAtMounts(since before: Set<[UInt8]>) {
        let now = Set(mounts.all.map(\.path))
        var places = now.symmetricDifference(before)
        for container in containers.values {
            let path = container.path.dropLast().map(UInt8.init(bitPattern:)) + [UInt8(ascii: "/")]
            places.formUnion(now.filter { $0.starts(with: path) || path == [UInt8(ascii: "/")] })
        }
        look(at: Set(places.map { Mount(number: 0, path: $0) }))
    }

    /// Takes up the work that was under way.
    private func takeUp(_ start: HandoverStart) {
        var numbers: [UInt64: UInt32] = [:]
        for container in containers.values where container.knowledge.isResumed {
            numbers[container.key] = container.number
        }
        for row in start.state.provisionalRows {
            guard let number = numbers[row.key], let node = tree.node(row: row.row, in: number) else { continue }
            uncertain.provisional.restore(
                node, row.doubt, until: row.end == IterationState.Provisional.untilLookedAt ? .max : row.end)
        }
        for rename in start.state.renames {
            guard let number = numbers[rename.key] else { continue }
            resumption.noteWaiting(tree.node(row: rename.row, in: number), for: rename.cookie)
        }
        for rows in start.state.detached {
            guard let number = numbers[rows.key] else { continue }
            tree.restoreDetached(saved: rows.bytes, in: number)
            uncertain.detached.insert(in: number, receivedBefore: position + queuedBytes())
        }
        let origin = Origin(position: positionNow)
        for file in start.state.files {
            hardLinks.files.want(file, origin)
            for number in numbers.values {
                var nodes: [TreeNode] = []
                tree.forEachNode(inode: file.inode, device: file.device, in: number) { nodes.append($0) }
                for node in nodes { lookAt(node, origin: origin) }
            }
        }
        for name in start.state.names {
            guard let number = numbers[name.key] else { continue }
            var found: DirectoryID?
            tree.forEachNode(inode: name.directory.inode, device: name.directory.device, in: number) {
                found = found ?? directories.directory(at: $0)
            }
            guard let found else { continue }
            name.name.withUnsafeBytes { lookUps.add($0, in: found, origin: origin, isExpected: true) }
        }
    }
}
