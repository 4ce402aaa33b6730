// Reading the stream of events and sorting them into look-ups, renames and the rest.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

extension TreeWatcher {
    /// Reads the queued events, some buffers at most. Returns whether there may be more.
    func readEvents() -> Bool {
        let pause = events.beginReading(at: iteration.began)
        for number in 0..<max(settings.readsPerIteration, 1) {
            settleProvisionalRows()
            let records: UnsafeRawBufferPointer
            do throws(SystemError) {
                records = try kernel.readEvents(atMost: events.readLimit)
            } catch {
                notices.append(.readFailed(error: error))
                return false
            }
            guard records.count > events.undecided else {
                kernel.giveBack(records.count)
                if number == 0 { events.pause(until: pause) }
                return false
            }
            let eventsBefore = counters.eventsRead
            receive(records)
            events.noteEvents(
                Int(counters.eventsRead - eventsBefore), now: kernel.now(), pause: settings.hotReadPause)
            // Where a record more would have fitted there was none.
            if events.undecided == 0, events.readLimit - records.count >= WatchLimits.longestRecord { return false }
        }
        events.pause(until: nil)
        return true
    }

    /// Sorts the records that were read. Undecided records among them are given back.
    func receive(_ records: UnsafeRawBufferPointer) {
        counters.reads += 1
        counters.bytesRead += UInt64(records.count - events.undecided)
        let start = events.take(records.count, at: kernel.now())
        events.received(process(records, from: start), of: records.count)
        if events.undecided > 0 { kernel.giveBack(events.undecided) }
    }

    /// Returns where the first record begins that is decided only by the records after it.
    private func process(_ buffer: UnsafeRawBufferPointer, from start: UInt64) -> Int {
        lookUps.setReceiving(true)
        defer { lookUps.setReceiving(false) }
        var offset = 0
        var position = start
        while let event = InotifyEvent(in: buffer, at: &offset) {
            if resumption.received > 0, position >= resumption.received { finishReplay() }
            let origin = Origin(position: position)
            position = start + UInt64(offset)
            // A file system in user space may have names that no call takes; see DirectoryReader.
            guard event.nameLength <= WatchLimits.nameLength else {
                handleLongName(event, origin)
                continue
            }
            let (name, following) = (event.name(in: buffer), UnsafeRawBufferPointer(rebasing: buffer[offset...]))
            let record = Int(origin.position - start)
            if buffer.count - record <= events.readLimit / 2, isUndecided(event, name, origin, following: following) {
                return record
            }
            process(event, name: name, origin: origin, following: following)
        }
        return buffer.count
    }

    /// An entry that is left out: with it the times of its directory change, and whether that can be read in full.
    private func handleLongName(_ event: InotifyEvent, _ origin: Origin) {
        counters.eventsRead += 1
        guard !event.mask.isDisjoint(with: .changesDirectory) else { return }
        let noName = UnsafeRawBufferPointer(start: nil, count: 0)
        guard let id = directories.directory(watch: event.watch) else {
            return hold(event, name: noName, position: origin.position)
        }
        noteReceived(event.watch)
        lookUps.add(noName, in: id, origin: origin)
    }

    private func process(
        _ event: InotifyEvent, name: UnsafeRawBufferPointer, origin: Origin, following: UnsafeRawBufferPointer
    ) {
        counters.eventsRead += 1
        if isContentChange(event), let id = directories.directory(watch: event.watch),
            roots.ancestor(event.watch) == nil, !directories[id].flags.contains(.inaccessible)
        {
            noteReceived(event.watch)
            contentChanged(id, name: name, origin: origin)
            return
        }
        events.receivedNames()
        if event.mask.contains(.overflow) {
            overflowed(origin: origin)
            return
        }
        if event.mask.contains(.ignored) { releaseWatch(event.watch) }
        if event.mask.contains(.movedFrom), event.mask.contains(.isDirectory) { mounts.directoryRenamed(from: name) }
        if let watch = roots.ancestor(event.watch) {
            ancestorChanged(event, name: name, watch.containers, origin)
        }
        guard let id = directories.directory(watch: event.watch) else {
            hold(event, name: name, position: origin.position)
            return
        }
        noteReceived(event.watch)
        if event.nameLength == 0 {
            directoryChanged(id, event, origin: origin)
            return
        }
        if directories[id].flags.contains(.inaccessible) {
            return handleEventInInaccessible(id, event, name: name, origin)
        }
        if !opening.lost.isEmpty, event.mask.contains(.isDirectory),
            !event.mask.isDisjoint(with: [.create, .movedTo]),
            let child = tree.child(of: directories[id].node, named: name)
        {
            // It may be back.
            placeChanged(child)
        }
        if applied.exchange.isAwaited {
            applied.exchange.note(
                event.cookie, in: id, leaving: event.mask.contains(.movedFrom) ? name : nil, at: origin.position)
        }
        if origin.position < resumption.received, !event.mask.isDisjoint(with: [.movedFrom, .movedTo]) {
            movedBefore(id, event, name: name, origin: origin)
        } else if event.mask.contains(.movedFrom) {
            movedFrom(id, event, name: name, origin: origin)
        } else if event.mask.contains(.movedTo) {
            movedTo(id, event, name: name, origin: origin, following: following)
        } else if !ignoresNames || !isIgnored(name, in: id) {
            lookUps.add(name, in: id, origin: origin, isUnlinked: event.mask.contains(.delete))
            readings.touched(name, in: id)
        }
        if !event.mask.isDisjoint(with: .changesDirectory) {
            // Its times and its links: where names come and go all the time they are not news each time.
            _ = lookPatiently(at: UnsafeRawBufferPointer(start: nil, count: 0), in: id, origin: origin)
        }
    }

    private func contentChanged(_ id: DirectoryID, name: UnsafeRawBufferPointer, origin: Origin) {
        if ignoresNames, isIgnored(name, in: id) { return }
        if !lookPatiently(at: name, in: id, origin: origin) { events.receivedColdEntry() }
        readings.touched(name, in: id)
    }

    /// An event for a directory itself, not for a name in it.
    private func directoryChanged(_ id: DirectoryID, _ event: InotifyEvent, origin: Origin) {
        if event.mask.contains(.ignored) {
            noteGone(event.watch)
            watchEnded(id, origin: origin)
        } else if !event.mask.isDisjoint(with: [.moveSelf, .deleteSelf, .unmount]) {
            lookAtPlace(of: id, origin: origin, isExpected: event.mask.contains(.moveSelf))
        } else {
            if event.mask.contains(.attributes) { directories[id].flags.insert(.attributesReported) }
            lookUps.add(UnsafeRawBufferPointer(start: nil, count: 0), in: id, origin: origin)
        }
    }

    /// The kernel has ended a watch: the directory is gone, or its file system is.
    private func watchEnded(_ id: DirectoryID, origin: Origin) {
        setWatch(id, to: -1)
        directories[id].flags.insert(.needsReading)
        lookAtPlace(of: id, origin: origin)
    }

    /// The queue has overflowed: whatever was read before now may be out of date, everywhere.
    private func overflowed(origin: Origin) {
        counters.overflows += 1
        applied.reset()
        notices.append(.overflow)
        for container in containers.values where container.place.failure == nil {
            compare(container, origin: origin, isPaced: true)
        }
        for number in containers.keys { suspect(number, position: origin.position) }
    }
}
