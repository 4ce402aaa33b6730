// Takes in the threads' results: new entries, watches, and directories that could not be read.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Applies the results in the inbox, some of them at most. Returns whether there may be more. While it waits for
    /// the stream to be read on, there is not. As long as there is something to read, the next iteration follows
    /// (``isPausing``); to ask for one would keep the loop from reading.
    func applyResults() -> Bool {
        guard !inbox.isEmpty, position >= inbox.position else { return false }
        let limit = inbox.processed + settings.crawledEntriesPerIteration
        iteration.extend(to: kernel.now() &+ settings.iterationBudget)
        while let result = inbox.first {
            let isSliced = isSliced(result)
            if isSliced, !takeSlice(of: result) {
                runLookUps()
                return true
            }
            // A root that was detached meanwhile has taken some slices and takes no more. The next result begins anew.
            if !isSliced { inbox.slices = nil }
            // Lets go of the batch as soon as it is applied.
            inbox.removeFirst()
            apply(result, areEntriesTaken: isSliced)
            runLookUps()
            if inbox.processed >= limit || iteration.isPastDeadline(kernel.now()) { break }
        }
        return true
    }

    private func apply(_ result: CrawlResult, areEntriesTaken: Bool) {
        defer { if result.hasReservation { watches.budget.release() } }
        counters.directoriesRead += 1
        let isAudit = isAudit(result)
        let began = isAudit ? kernel.processorTime() : 0
        defer { if isAudit { auditSchedule.addCost(result.cost + (kernel.processorTime() &- began)) } }
        readings.finishJob(of: result.task, children: result.childCount)
        let origin = origin(of: result)
        guard let id = readings.takeDirectory(of: result.ticket), directories.isAlive(id) else {
            dropWatch(of: result)
            return
        }
        directories[id].flags.remove(.reading)
        // A crawl goes on below it, and barriers that wait for the one wait for the other. A poll does not.
        if readings.endAwaiting(id), !isPoll(result.task) {
            lowerPosition(of: result.task, to: origin.position)
        }
        if directories[id].flags.contains(.inaccessibleMeanwhile) {
            dropWatch(of: result)
            readings.forgetTouched(id)
            read(id, descends: true, origin: origin)
            return
        }
        // A job may have been asked for before extended attributes were, and done after: it is good for no round then.
        let wantsXattrs = containers[directories[id].node.container]?.options.readsXattrs == true
        directories[id].round = wantsXattrs && !result.hasXattrs ? 0 : result.round
        let touched = readings.takeTouched(id)
        let held = watches.unknown[result.watch]
        if let error = result.error {
            dropWatch(of: result)
            failed(id, error, origin)
            readAgainIfChanged(id, wasUnreadable: true, origin)
            return
        }
        // If the record of ended watches is incomplete, the directory is read once more, behind this result. If this
        // result were not taken, the directories below would be dropped with it; their watches would end, and be too
        // many again, without end.
        let mayHaveEnded = result.watch >= 0 && watches.mayHaveEnded(since: result.ticket)
        if result.watch >= 0, watches.hasEnded(result.watch) {
            // It ended after it was given: by our own removal, or with the directory.
            directories[id].flags.insert(.needsReading)
            read(id, descends: true, origin: origin)
            return
        }
        if isDetachedRoot(id) {
            dropWatch(of: result)
            readings.forgetTouched(id)
            return bringBack(id, position: origin.position)
        }
        watches.unknown.remove(result.watch)
        if !opening.lost.isEmpty { opening.lost.release(id.slot) }
        directories[id].flags.remove(.inaccessible)
        readings.unstable.forget(id)
        // Events that another directory got by this watch since the directory was read are lost with that one.
        let wasReceivedByAnother =
            result.watch >= 0 && directories[id].watch != result.watch && watches.unknown.wasReceived(result.watch)
        if held != nil { watches.unknown.noteReceived(result.watch) }
        takeWatch(of: result, for: id, origin)
        // It is read again soon, and counts as inexact until then.
        if let error = result.xattrError { fellShort(id, error) }
        let wasUnreadable = directories[id].flags.contains(.unreadable)
        if let error = result.entryError { becameUnreadable(id, error) } else { becameReadable(id) }
        let node = directories[id].node
        if let status = result.status, !directories[id].flags.contains(.wasRead) {
            // Its access control list was never read, and the entries in it must not be seen without.
            var known = tree.status(of: node)
            if known.accessList != status.accessList {
                known.accessList = status.accessList
                tree.update(node, status: known)
                if known.changed != status.changed { tree.forgetXattrs(of: node) }
            }
        }
        if let status = result.status, isAudit, !isEqual(tree.status(of: node), status) {
            containers[node.container]?.comparison?.found.add(id, [])
        } else if let status = result.status,
            !isEqual(tree.status(of: node), status) || held?.touchesDirectory == true
        {
            lookUps.add(UnsafeRawBufferPointer(start: nil, count: 0), in: id, origin: origin)
        }
        if held?.reportsAttributes == true { directories[id].flags.insert(.attributesReported) }
        let entries = 0..<result.batch.count
        if areEntriesTaken {
            // In slices, before.
        } else if isUnknown(id, to: result) {
            insert(result, entries, into: id, except: held?.names ?? [], origin)
            expectChildren(of: result, entries, in: id)
        } else {
            // A known entry without a record gets it here, and is not looked at for the want of one.
            expectChildren(of: result, entries, in: id)
            compare(result, with: id, touched: touched, origin)
        }
        if directories[id].flags.insert(.wasRead).inserted { lookAgain(afterFirstReadOf: node, origin) }
        let holds = holdsFindings(of: result, in: containers[node.container])
        for name in held?.names ?? [] {
            if ignoresNames, name.withUnsafeBytes({ isIgnored($0, in: id) }) { continue }
            let isHeld =
                holds && name.withUnsafeBytes { tree.child(of: node, named: $0) == nil }
                && containers[node.container]?.comparison?.isInBackground == false
            if isHeld {
                // It may be known by another name, which may be gone.
                lowerPosition(of: result.task, to: held?.position ?? .max)
                containers[node.container]?.comparison?.found.add(id, name)
                continue
            }
            name.withUnsafeBytes { name in
                let position = min(origin.position, held?.position ?? .max)
                lookUps.add(name, in: id, origin: Origin(position: position, task: origin.task))
            }
        }
        if held?.isCut == true { read(id, descends: true, origin: origin) }
        if wasReceivedByAnother || mayHaveEnded { read(id, descends: false, origin: origin) }
        // Since it was asked for.
        if directories[id].flags.contains(.needsReading) { read(id, descends: true, origin: origin) }
        readAgainIfChanged(id, wasUnreadable: wasUnreadable, origin)
    }

    /// Whether no entry is known of a directory that was read.
    func isUnknown(_ id: DirectoryID, to result: CrawlResult) -> Bool {
        !directories[id].flags.contains(.wasRead) && tree.childCount(of: directories[id].node) == 0
            && !isVerifying(result)
    }

    /// Whether a file found now may be known elsewhere, in a directory that was not compared yet.
    private func isVerifying(_ result: CrawlResult) -> Bool {
        guard let comparison = readings[result.task]?.container.comparison, comparison.task == result.task else {
            return false
        }
        return comparison.isVerification && comparison.phase == .listing
    }

    /// Has a directory that could not be read, or not in full, read again where it has changed since the job was asked
    /// for: nothing else would. The same where a look-up in it was refused meanwhile, which the job may not know of.
    private func readAgainIfChanged(_ id: DirectoryID, wasUnreadable: Bool, _ origin: Origin) {
        guard directories.isAlive(id), directories[id].flags.remove(.changedMeanwhile) != nil,
            wasUnreadable || directories[id].flags.contains(.unreadable)
        else { return }
        read(id, descends: true, origin: origin)
    }

    /// The directories that the threads descend into: their results will come for these records.
    func expectChildren(of result: CrawlResult, _ range: Range<Int>, in id: DirectoryID) {
        guard result.childCount > 0 else { return }
        let node = directories[id].node
        let first = inbox.slices?.nextChild ?? 0
        let entered = result.batch.enteredDirectories(range)
        inbox.slices?.nextChild += entered.count
        let wantsXattrs = containers[node.container]?.options.readsXattrs == true
        for (offset, index) in zip(first..., entered) {
            let status = result.batch.statuses[index]
            let child = result.batch.names.withUnsafeBytes {
                tree.child(of: node, named: UnsafeRawBufferPointer(rebasing: $0[result.batch.nameRange(at: index)]))
            }
            guard let child, fileIdentities.isSame(tree.status(of: child), status) else { continue }
            let known = directories.directory(at: child)
            if let known {
                let flags = directories[known].flags
                if flags.contains(.reading) || (flags.contains(.wasRead) && !flags.contains(.unreadable)) { continue }
            }
            let directory = known ?? record(child, status)
            // The job was made before extended attributes were asked for, so the reading of extended attributes is not over before its result has
            // come.
            if wantsXattrs, !result.hasXattrs { directories[directory].round = 0 }
            readings.expect(directory, ticket: result.firstChild + UInt64(offset))
            if result.hasXattrs { readings.noteTouched(in: directory) }
            noteDepth(of: directory)
            directories[directory].crawl = result.task
            directories[directory].flags.subtract([.needsReading, .changedMeanwhile, .inaccessibleMeanwhile])
            // A directory known to be inaccessible may have been read before that.
            let isInaccessible = directories[directory].flags.contains(.inaccessible)
            directories[directory].flags.insert(isInaccessible ? [.reading, .inaccessibleMeanwhile] : [.reading])
        }
    }

    private func takeWatch(of result: CrawlResult, for id: DirectoryID, _ origin: Origin) {
        guard result.watch >= 0 else {
            // With no room it was not asked for.
            if directories[id].watch < 0, watches.budget.isWanted {
                becamePolled(id, PollReason(ofWatch: result.watchError))
            }
            return
        }
        watches.hold(result.watch)
        watches.want(result.watch)
        if let other = directories.directory(watch: result.watch), other != id {
            // The same directory is known in two places, so one of them is out of date; unless two containers have it
            // in common, by a bind mount: it has one watch, and they would take it from each other for ever.
            if directories.container(of: other) != directories.container(of: id), isInPlace(other) {
                if directories[id].flags.contains(.contested) {
                    becamePolled(id, .shared)
                    return
                }
                directories[other].flags.insert(.contested)
            }
            setWatch(other, to: -1)
            directories[other].flags.insert(.needsReading)
            lookAtPlace(of: other, origin: origin)
        }
        let former = directories[id].watch
        setWatch(id, to: result.watch)
        // It has ended without a word, or is another directory's by now.
        if former >= 0, former != result.watch, roots.ancestor(former) == nil { watches.unwant(former) }
        directories[id].flags.remove(.contested)
        if result.xattrError == nil { endPolling(id) }
    }

    /// An unwanted result: its watch goes, unless a directory has it or a result may still bring it.
    private func dropWatch(of result: CrawlResult) {
        guard result.watch >= 0, directories.directory(watch: result.watch) == nil,
            roots.ancestor(result.watch) == nil
        else { return }
        watches.hold(result.watch)
        watches.unwant(result.watch)
    }

    private func failed(_ id: DirectoryID, _ error: SystemError, _ origin: Origin) {
        let node = directories[id].node
        switch error {
        case .noAccess, .notPermitted:
            // It was there when it was refused: where it went may be told only now.
            if !markRefusing(id, error, origin) { goneAstray(id, origin, isExpected: true) }
        case .crossesDevice:
            // Something is mounted on it: an entry that is not entered.
            leave(node)
            removeChildren(of: node, origin: origin)
        case .noEntry, .stale, .notDirectory, .tooManyLinks, .wouldBlock:
            goneAstray(id, origin)
        case .timedOut:
            // It is read when the mount answers, and the container says why it is not.
            fellShort(id, error)
        default:
            becameUnreadable(id, error)
            fellShort(id, error)
        }
    }

    /// The way to a directory is out of date somewhere: it is read when its place is known. A look-up from a directory that is
    /// open would find it, and have it read in vain again and again; one that goes the whole way waits for the move that
    /// explains it.
    private func goneAstray(_ id: DirectoryID, _ origin: Origin, isExpected: Bool = false) {
        directories[id].flags.insert(.needsReading)
        noteAstray(id)
        closeDescriptors(above: id)
        if !holdRemoval(of: id, origin) { lookAtPlace(of: id, origin: origin, isExpected: isExpected) }
    }

    /// The entries of a directory that was empty in the tree, or some of them, all at once but for those that need a closer
    /// look.
    func insert(
        _ result: CrawlResult, _ range: Range<Int>, into id: DirectoryID, except held: Set<[UInt8]>, _ origin: Origin
    ) {
        let batch = result.batch
        let node = directories[id].node
        let linksChanged = result.linkEpoch != pool.currentLinkEpoch
        let missing = containers[node.container]?.comparison?.missing ?? MissingEntries()
        var excluded: [Int] = []
        for index in range {
            let status = batch.statuses[index]
            if range.lowerBound > 0, isKnown(index, of: batch, in: node) {
                // Since the slice before.
                excluded.append(index)
            } else if !held.isEmpty, held.contains(Array(batch.names[batch.nameRange(at: index)])) {
                excluded.append(index)
            } else if status.kind == .directory, knownDirectory(status, in: node.container) != nil {
                excluded.append(index)
            } else if linksChanged, status.links > 1, status.kind != .directory {
                excluded.append(index)
            } else if wasSought(status, since: result.ticket) {
                // Read when it had one link, and not there yet when its other names were looked for.
                excluded.append(index)
            } else if !renames.isEmpty, renames.contains(fileIdentities.identity(of: status)) {
                excluded.append(index)
            } else if missing.hasFiles, missing.contains(fileIdentities.identity(of: status)) {
                excluded.append(index)
            } else if status.links > 1, status.kind != .directory {
                cameBy(status, origin: origin)
            }
            // It may have gone on before its look-up.
            if excluded.last == index, status.links > 1, status.kind != .directory {
                lookAtLinks(of: status, origin: origin)
            }
        }
        if excluded.isEmpty, range.count == batch.count {
            if batch.count > 0 { tree.insertChildren(of: node, from: batch) }
        } else {
            tree.insertChildren(of: node, from: batch.part(range, without: excluded))
            for index in excluded {
                batch.names[batch.nameRange(at: index)].withUnsafeBytes { lookUps.add($0, in: id, origin: origin) }
            }
        }
        count(origin) { $0.added += range.count - excluded.count }
    }

    /// Whether the names of a file were looked for since a job was asked for, as far as is known.
    private func wasSought(_ status: FileStatus, since ticket: UInt64) -> Bool {
        status.kind != .directory
            && hardLinks.files.wasSought(InodeNumber(device: status.device, inode: status.inode), since: ticket)
    }

    private func isKnown(_ index: Int, of batch: DirectoryBatch, in directory: TreeNode) -> Bool {
        batch.names.withUnsafeBytes {
            tree.child(of: directory, named: UnsafeRawBufferPointer(rebasing: $0[batch.nameRange(at: index)])) != nil
        }
    }

    /// The root of a container whose entries have left the tree was read. They come back, if the tree has kept them, and are
    /// verified, or the container is crawled. The root is read once more for that, with the directories below.
    ///
    /// Until a root was read nothing says that it may be: each attempt would bring back all entries, only to have them leave
    /// again. And entries that come back while the container counts as unavailable would be published before they are
    /// verified (``WatchedContainer/state``).
    func bringBack(_ root: DirectoryID, position: UInt64) {
        guard let owner = containers[directories.container(of: root)], owner.knowledge.isDetached else { return }
        owner.knowledge.comeBack(isOld: tree.attachAll(owner.number))
        directories[root].flags.remove(.inaccessible)
        readRoot(root, of: owner, position: position)
        becameReadable(root)
    }
}

extension DirectoryBatch {
    /// Part of the batch without some of its entries, given in ascending order.
    func part(_ range: Range<Int>, without excluded: [Int]) -> DirectoryBatch {
        var batch = DirectoryBatch()
        var next = 0
        for index in range {
            if next < excluded.count, excluded[next] == index {
                next += 1
                continue
            }
            names.withUnsafeBytes { names in
                let name = UnsafeRawBufferPointer(rebasing: names[nameRange(at: index)])
                let isMountRoot = mountRoots.contains(UInt32(index))
                guard hasXattrs else {
                    batch.append(name: name, status: statuses[index], isMountRoot: isMountRoot)
                    return
                }
                xattrs.withUnsafeBytes { xattrs in
                    batch.append(
                        name: name, status: statuses[index], isMountRoot: isMountRoot,
                        read: xattrRange(at: index).map { UnsafeRawBufferPointer(rebasing: xattrs[$0]) })
                }
            }
        }
        return batch
    }
}
