// Reading the stream of events and sorting them into look-ups, renames and the rest.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

extension TreeWatcher {
    /// Reads what is queued, some buffers at most. Returns whether there may be more.
    func readEvents() -> Bool {
        // A turn in a pause that has another reason, and finds nothing, does not end it.
        let pause = readsAgain.flatMap { turnTime < $0 ? $0 : nil }
        readsAgain = nil
        (onlyHot, onlyContent) = (true, true)
        for number in 0..<max(settings.readsPerTurn, 1) {
            closeAhead()
            let room = readRoom
            let count: Int
            do throws(SystemError) {
                count = try kernel.readEvents(into: room)
            } catch {
                notices.append(.readFailed(error: error))
                return false
            }
            if count == 0 {
                if number == 0 { readsAgain = pause }
                return false
            }
            let eventsBefore = counters.eventsRead
            defer {
                let now = kernel.now()
                pace.note(Int(counters.eventsRead - eventsBefore), now: now)
                let pauses = undecided == 0 && (onlyHot || onlyContent && pace.isFast)
                readsAgain = pauses ? now &+ settings.hotReadPause : nil
            }
            readTimes.note(end: position + UInt64(undecided + count), time: kernel.now())
            processRead(count)
            // Where a record more would have fitted there was none.
            let isAll = room.count - count >= WatchLimits.longestRecord
            if undecided == 0, isAll { return false }
        }
        readsAgain = nil
        return true
    }

    /// Where the next read goes: behind what waits in the buffer to be decided.
    var readRoom: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: readBuffer[undecided...]) }

    /// Sorts what was read into the buffer, behind what waited there to be decided.
    func processRead(_ count: Int) {
        counters.reads += 1
        counters.bytesRead += UInt64(count)
        let records = UnsafeRawBufferPointer(rebasing: readBuffer[..<(undecided + count)])
        let start = position
        position += UInt64(records.count)
        undecided = 0
        let end = process(records, from: start)
        undecided = records.count - end
        position -= UInt64(undecided)
        if undecided > 0, end > 0 { readBuffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: records[end...])) }
    }

    /// Returns where the first record begins that what follows it in the stream is to decide.
    private func process(_ buffer: UnsafeRawBufferPointer, from start: UInt64) -> Int {
        (lookUps.isHearing, patientLookUps.isHearing, hotLookUps.isHearing) = (true, true, true)
        defer { lookUps.isHearing = false }
        var offset = 0
        var cause = start
        while let event = InotifyEvent(in: buffer, at: &offset) {
            if heardBefore > 0, cause >= heardBefore { finishHearingBefore() }
            let origin = Origin(cause: cause)
            cause = start + UInt64(offset)
            // A file system in user space may have names that no call takes; see DirectoryReader.
            guard event.nameLength <= WatchLimits.nameLength else {
                heardOfLongName(event, origin)
                continue
            }
            let (name, following) = (event.name(in: buffer), UnsafeRawBufferPointer(rebasing: buffer[offset...]))
            let record = Int(origin.cause - start)
            if buffer.count - record <= readBuffer.count / 2, isUndecided(event, name, origin, following: following) {
                return record
            }
            process(event, name: name, origin: origin, following: following)
        }
        return buffer.count
    }

    /// An entry that is left out: with it the times of its directory change, and whether that can be read in full.
    private func heardOfLongName(_ event: InotifyEvent, _ origin: Origin) {
        counters.eventsRead += 1
        guard !event.mask.isDisjoint(with: .changesDirectory) else { return }
        let noName = UnsafeRawBufferPointer(start: nil, count: 0)
        guard let id = directories.directory(watch: event.watch) else {
            return hold(event, name: noName, cause: origin.cause)
        }
        noteHeard(event.watch)
        lookUps.add(noName, in: id, origin: origin)
    }

    private func process(
        _ event: InotifyEvent, name: UnsafeRawBufferPointer, origin: Origin, following: UnsafeRawBufferPointer
    ) {
        counters.eventsRead += 1
        if isContentChange(event), let id = directories.directory(watch: event.watch),
            ancestorWatches[event.watch] == nil, !directories[id].flags.contains(.closed)
        {
            noteHeard(event.watch)
            contentChanged(id, name: name, origin: origin)
            return
        }
        (onlyHot, onlyContent) = (false, false)
        if event.mask.contains(.overflow) {
            overflowed(origin: origin)
            return
        }
        if event.mask.contains(.ignored) { releaseWatch(event.watch) }
        if !namesAboveMounts.isEmpty, event.mask.isSuperset(of: [.movedFrom, .isDirectory]),
            namesAboveMounts.contains(Array(name))
        {
            mountsMayHaveMoved = true
        }
        if !ancestorWatches.isEmpty, let watch = ancestorWatches[event.watch] {
            ancestorChanged(event, name: name, watch.containers, origin)
        }
        guard let id = directories.directory(watch: event.watch) else {
            hold(event, name: name, cause: origin.cause)
            return
        }
        noteHeard(event.watch)
        if event.nameLength == 0 {
            directoryChanged(id, event, origin: origin)
            return
        }
        if directories[id].flags.contains(.closed) { return heardInClosed(id, event, name: name, origin) }
        if !lostDirectories.isEmpty, event.mask.contains(.isDirectory),
            !event.mask.isDisjoint(with: [.create, .movedTo]),
            let child = tree.child(of: directories[id].node, named: name)
        {
            // It may be back.
            placeChanged(child)
        }
        if secondPair != nil { noteSecondPair(id, event, name: name, at: origin.cause) }
        if origin.cause < heardBefore, !event.mask.isDisjoint(with: [.movedFrom, .movedTo]) {
            movedBefore(id, event, name: name, origin: origin)
        } else if event.mask.contains(.movedFrom) {
            movedFrom(id, event, name: name, origin: origin)
        } else if event.mask.contains(.movedTo) {
            movedTo(id, event, name: name, origin: origin, following: following)
        } else if !ignoresNames || !isIgnored(name, in: id) {
            lookUps.add(name, in: id, origin: origin, isUnlinked: event.mask.contains(.delete))
            if !touchedNames.isEmpty { touchedNames[id.slot]?.insert(Array(name)) }
        }
        if !event.mask.isDisjoint(with: .changesDirectory) {
            // Its times and its links: where names come and go all the time they are not news each time.
            _ = lookPatiently(at: UnsafeRawBufferPointer(start: nil, count: 0), in: id, origin: origin)
        }
    }

    /// A directory has one watch, and what that tells goes to whom it is known to belong to. Where the directory has come
    /// from another container, a thread may have read it in its new place before this, and hand that over after it.
    private func noteHeard(_ watch: Int32) {
        guard tasksAreOutstanding, watch != lastHeardWatch else { return }
        heardWatches.insert(watch)
        lastHeardWatch = watch
    }

    /// Whether an event tells of what lies in an entry, of its mode or its times, and not of its name.
    private func isContentChange(_ event: InotifyEvent) -> Bool {
        event.nameLength > 0 && event.mask.rawValue & ~InotifyMask.contentChanges == 0
    }

    private func contentChanged(_ id: DirectoryID, name: UnsafeRawBufferPointer, origin: Origin) {
        if ignoresNames, isIgnored(name, in: id) { return }
        if !lookPatiently(at: name, in: id, origin: origin) { onlyHot = false }
        if !touchedNames.isEmpty { touchedNames[id.slot]?.insert(Array(name)) }
    }

    func isIgnored(_ name: UnsafeRawBufferPointer, in id: DirectoryID) -> Bool {
        guard let container = containers[directories.container(of: id)] else { return false }
        return !container.options.ignored.isEmpty && container.options.ignored.contains(name)
    }

    /// An event for a directory itself, not for a name in it.
    private func directoryChanged(_ id: DirectoryID, _ event: InotifyEvent, origin: Origin) {
        if event.mask.contains(.ignored) {
            noteGone(event.watch)
            watchEnded(id, origin: origin)
        } else if !event.mask.isDisjoint(with: [.moveSelf, .deleteSelf, .unmount]) {
            lookAtPlace(of: id, origin: origin, isExpected: event.mask.contains(.moveSelf))
        } else {
            if event.mask.contains(.attributes) { directories[id].flags.insert(.attributesTold) }
            lookUps.add(UnsafeRawBufferPointer(start: nil, count: 0), in: id, origin: origin)
        }
    }

    /// The kernel has ended a watch: the directory is gone, or its file system is.
    private func watchEnded(_ id: DirectoryID, origin: Origin) {
        setWatch(id, to: -1)
        directories[id].flags.insert(.needsReading)
        lookAtPlace(of: id, origin: origin)
    }

    /// Looks at a directory where it should lie: by its name in the directory above, a root by its path.
    func lookAtPlace(of id: DirectoryID, origin: Origin, attempts: UInt8 = 0, isExpected: Bool = false) {
        let node = directories[id].node
        guard let parent = tree.parent(of: node), let above = directories.directory(at: parent) else {
            suspect(node.container, cause: origin.cause)
            return
        }
        // What has replaced it may have moved on.
        let isExpected = isExpected || ahead.isTakenOver(node)
        withName(of: node) {
            lookUps.add($0, in: above, origin: origin, attempts: attempts, isExpected: isExpected)
        }
    }

    func withName(of node: TreeNode, _ body: (UnsafeRawBufferPointer) -> Void) {
        pathBuffer.removeAll(keepingCapacity: true)
        tree.appendName(of: node, to: &pathBuffer)
        pathBuffer.append(0)
        pathBuffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
    }

    /// Keeps an event for a watch that nobody knows: a thread has added it, and its result is on the way.
    func hold(_ event: InotifyEvent, name: UnsafeRawBufferPointer, cause: UInt64) {
        if event.mask.contains(.ignored) { unwanted.remove(event.watch) }
        guard tasksAreOutstanding else { return }
        if event.mask.contains(.movedTo) { halves.noteHeld(cookie: event.cookie) }
        if event.mask.contains(.ignored) {
            noteGone(event.watch)
            return
        }
        heldEvents[event.watch, default: HeldEvents(cause: cause)].touchesDirectory = true
        // An audit, or a crawl of what a poll has found, may have come by a directory that no event had told of. What is told of
        // that from now on is waited for.
        for (number, task) in tasks where task.cause == .max {
            let comparison = task.container.comparison
            if !task.container.isComparison(number) || comparison?.task == number && comparison?.isAudit == true {
                lowerCause(of: number, to: cause)
            }
        }
        if event.nameLength == 0, event.mask.contains(.attributes) {
            heldEvents[event.watch]?.tellsAttributes = true
        }
        guard !name.isEmpty else { return }
        if heldEvents[event.watch]?.names.count ?? 0 < settings.limits.heldNames {
            heldEvents[event.watch]?.names.insert(Array(name))
        } else {
            heldEvents[event.watch]?.isCut = true
        }
    }

    var tasksAreOutstanding: Bool { outstandingJobs > 0 }

    /// The queue has overflowed: whatever was read before now may be out of date, everywhere.
    private func overflowed(origin: Origin) {
        counters.overflows += 1
        (exchangeCookie, secondPair) = (0, nil)
        backups = [:]
        notices.append(.overflow)
        for container in containers.values where container.failure == nil {
            compare(container, origin: origin, isPaced: true)
        }
        for number in containers.keys { suspect(number, cause: origin.cause) }
    }
}
