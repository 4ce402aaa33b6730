// Reading one directory: watch first, then read, then look at each entry. Runs on the crawling threads.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// Reads directories with buffers of its own; each crawling thread has one.
struct DirectoryReader<Kernel: WatchKernel>: ~Copyable {
    private let kernel: Kernel
    private let budget: WatchBudget
    /// Whether the watcher is being closed.
    private let isStopping: () -> Bool
    private let records: UnsafeMutableRawBufferPointer
    private let extras: UnsafeMutableRawBufferPointer

    static var recordsSize: Int { 64 * 1024 }

    init(kernel: Kernel, budget: WatchBudget, isStopping: @escaping () -> Bool) {
        self.kernel = kernel
        self.budget = budget
        self.isStopping = isStopping
        // Owned by this value alone until its deinit.
        records = .allocate(byteCount: DirectoryReader.recordsSize, alignment: 8)
        extras = .allocate(byteCount: WatchLimits.extrasBuffer, alignment: 8)
    }

    deinit {
        records.deallocate()
        extras.deallocate()
    }

    /// Does a job. The directories to descend into are appended to `jobs`, in the order of their tickets.
    func read(
        _ job: CrawlJob, round: UInt32, tickets: (Int) -> UInt64, jobs: inout [CrawlJob]
    ) -> CrawlResult {
        var result = CrawlResult(ticket: job.ticket, task: job.task, round: round)
        let began = job.isMeasured ? kernel.processorTime() : 0
        result.hasExtras = job.options.readsExtras
        do throws(SystemError) {
            let directory = try open(job)
            defer { kernel.close(directory) }
            addWatch(on: directory, job, &result)
            // As the entry that it has for itself: refused without the permission to search, as all others are.
            let status = try kernel.status(of: ".", in: directory)
            result.status = status.file
            guard status.file.inode == job.inode, status.file.device == job.device else { throw .stale }
            try readEntries(of: directory, job, into: &result)
            result.batch.finish()
        } catch {
            result.error = error
            result.batch = DirectoryBatch()
        }
        if job.descends, result.error == nil { descend(job, &result, tickets, &jobs) }
        if job.isMeasured { result.cost = kernel.processorTime() &- began }
        return result
    }

    private func addWatch(on directory: CInt, _ job: CrawlJob, _ result: inout CrawlResult) {
        result.hasReservation = !job.hasWatch && budget.reserve()
        guard job.hasWatch || result.hasReservation else { return }
        do throws(SystemError) {
            result.watch = try kernel.addWatch(on: directory, mask: .directory)
        } catch {
            result.watchError = error
            if result.hasReservation { budget.release() }
            result.hasReservation = false
        }
    }

    private func open(_ job: CrawlJob) throws(SystemError) -> CInt {
        if job.path.count <= 1 {
            return try kernel.openDirectory(".", beneath: job.root.number, access: .reading)
        }
        var opened: CInt = -1
        var failure: SystemError?
        job.path.withUnsafeBytes { bytes in
            do throws(SystemError) {
                opened = try kernel.openDirectory(
                    longPath: UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 1)]), beneath: job.root.number,
                    access: .reading)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return opened
    }

    private func readEntries(
        of directory: CInt, _ job: CrawlJob, into result: inout CrawlResult
    ) throws(SystemError) {
        // Looked at for each buffer: a directory of millions of entries must not hold up the end of the daemon.
        while !isStopping() {
            let count = try kernel.readEntries(of: directory, into: records)
            if count == 0 { return }
            let filled = UnsafeRawBufferPointer(rebasing: records[..<count])
            var entries = 0
            var nameBytes = 0
            Directory.forEachEntry(in: filled) {
                entries += 1
                nameBytes += $0.count
            }
            result.batch.reserve(entries, nameBytes: nameBytes, extras: job.options.readsExtras)
            Directory.forEachEntry(in: filled) { name in
                if !job.options.ignored.isEmpty, job.options.ignored.contains(name) { return }
                readEntry(name, in: directory, job, into: &result)
            }
        }
    }

    @inline(__always)
    private func readEntry(
        _ name: UnsafeRawBufferPointer, in directory: CInt, _ job: CrawlJob, into result: inout CrawlResult
    ) {
        // File systems in user space, and those whose names are UTF-16 on disk, may hand out names that are longer than
        // Linux allows. Such an entry is left out, and its directory counts as one that cannot be read in full.
        guard name.count <= WatchLimits.nameLength else {
            result.entryError = .nameTooLong
            return
        }
        // forEachEntry leaves the NUL behind the name where it is.
        guard let text = name.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
        do throws(SystemError) {
            var status = try kernel.entryStatus(of: text, in: directory)
            guard job.options.readsExtras else {
                result.batch.append(name: name, status: status.file, isMountRoot: status.isMountRoot)
                return
            }
            let value = readExtras(of: text, &status, in: directory, &result)
            result.batch.append(name: name, status: status.file, isMountRoot: status.isMountRoot, read: value)
        } catch {
            // An entry that went away meanwhile is told by an event: the watch was there first.
            if error != .noEntry { result.entryError = error }
        }
    }

    /// The extras of an entry; nil where nothing can be said of them.
    private func readExtras(
        of name: UnsafePointer<CChar>, _ status: inout KernelStatus, in directory: CInt, _ result: inout CrawlResult
    ) -> UnsafeRawBufferPointer? {
        do throws(SystemError) {
            return try kernel.readExtras(of: name, &status, in: directory, into: extras)
        } catch {
            result.extrasError = error
            return nil
        }
    }

    private func descend(
        _ job: CrawlJob, _ result: inout CrawlResult, _ tickets: (Int) -> UInt64, _ jobs: inout [CrawlJob]
    ) {
        let children = result.batch.enteredDirectories(0..<result.batch.count)
        guard !children.isEmpty else { return }
        result.childCount = children.count
        result.firstChild = tickets(children.count)
        for (offset, index) in children.enumerated() {
            var path: [UInt8] = []
            let name = result.batch.nameRange(at: index)
            path.reserveCapacity(job.path.count + name.count + 1)
            path.append(contentsOf: job.path.dropLast())
            if !path.isEmpty { path.append(UInt8(ascii: "/")) }
            path.append(contentsOf: result.batch.names[name])
            path.append(0)
            let status = result.batch.statuses[index]
            jobs.append(
                CrawlJob(
                    ticket: result.firstChild + UInt64(offset), task: job.task, root: job.root, path: path,
                    device: status.device, inode: status.inode, options: job.options, descends: true))
        }
    }
}

extension DirectoryBatch {
    /// The directories that are entered, by index: those on which nothing is mounted.
    func enteredDirectories(_ range: Range<Int>) -> [Int] {
        range.filter { statuses[$0].kind == .directory && !mountRoots.contains(UInt32($0)) }
    }

    mutating func reserve(_ count: Int, nameBytes: Int, extras: Bool) {
        names.reserveCapacity(names.count + nameBytes)
        nameEnds.reserveCapacity(nameEnds.count + count)
        statuses.reserveCapacity(statuses.count + count)
        if extras { extrasPlaces.reserveCapacity(extrasPlaces.count + count) }
    }
}

extension WatchKernel {
    /// Opens a directory below another however long the way is: `PATH_MAX` bounds one call, not a tree.
    func openDirectory(
        longPath path: UnsafeRawBufferPointer, beneath directory: CInt, access: Directory.Access
    ) throws(SystemError) -> CInt {
        var from = directory
        var owned: CInt = -1
        var start = 0
        defer { if owned >= 0 { close(owned) } }
        while true {
            var end = path.count
            if end - start > WatchLimits.pathChunk {
                end = start + WatchLimits.pathChunk
                while end > start, path[end] != UInt8(ascii: "/") { end -= 1 }
                if end == start { throw .nameTooLong }
            }
            let isLast = end == path.count
            var opened: CInt = -1
            var failure: SystemError?
            withUnsafeTemporaryAllocation(byteCount: end - start + 1, alignment: 1) { text in
                text.copyMemory(from: UnsafeRawBufferPointer(rebasing: path[start..<end]))
                text[end - start] = 0
                do throws(SystemError) {
                    opened = try openDirectory(
                        UnsafeRawPointer(text.baseAddress!).assumingMemoryBound(to: CChar.self), beneath: from,
                        access: isLast ? access : .path)
                } catch {
                    failure = error
                }
            }
            if owned >= 0 { close(owned) }
            owned = -1
            if let failure { throw failure }
            if isLast { return opened }
            owned = opened
            from = opened
            start = end + 1
        }
    }
}

/// Limits that are nobody's to set.
enum WatchLimits {
    /// Bytes of a path that one openat2(2) gets: below `PATH_MAX` (4,096) by more than a name.
    static let pathChunk = 3_500
    /// Room for the extras of one entry, and for the names of its attributes, of which there may be 64 KiB (xattr(7)): where
    /// they do not fit, those that have names of their own in the language are read.
    static let extrasBuffer = 65_536
    /// How many attributes of a file are read besides those that have names of their own.
    static let attributesOfFile = 256
    /// Bytes of extras that are kept of one directory while it is taken in, each that several entries have once: as much as a
    /// container keeps in all.
    static let extraBytesOfDirectory = 256 << 20
    /// So many bytes of extras weigh as much as an entry, where threads wait for the loop.
    static let extraBytesOfAnEntry = 128
    /// How often an entry's extras are read that changes meanwhile.
    static let extrasAttempts = 4
    /// Bytes of a name (`NAME_MAX`).
    static let nameLength = 255
    /// Names, and rows and files, that the next process is told are going on: with more it compares everything.
    static let keptNames = 1_024
    /// How often a look-up may wait for its directory to be found before it is given up.
    static let lookUpAttempts: UInt8 = 8
    /// How many names are kept for a watch that the loop does not know yet. It may be one that nobody will ever know: of
    /// a directory above a container, in which others work.
    static let heldNames = 1_024
    /// How many watches that have ended are kept while directories are being read: under a steady coming and going of
    /// directories there is no moment at which none is.
    static let goneWatches = 16_384
    /// The same of files whose names were looked for.
    static let soughtLinks = 16_384
    /// Rows ahead of the stream among which those that it has come up to are not looked for yet.
    static let leastAhead = 256
    /// How often the mount points are looked at again that changed while directories were being read. In nanoseconds.
    static let mountLookInterval: UInt64 = 1_000_000_000
    /// How often a comparison begins again for look-ups of its own that were given up: a file system that has no stable
    /// inode numbers would have it never end.
    static let comparisonRestarts = 3
    /// How long watches that are free, or in the wrong place, stay so: looking for those who want them costs a walk over
    /// all directories. In nanoseconds.
    static let balanceInterval: UInt64 = 1_000_000_000
    /// When that is tried again where events are queued.
    static let balanceRetry: UInt64 = 1_000_000
    /// How often a comparison takes in another overflow, and begins again for it, before the next comparison has to.
    static let comparisonWidenings = 2
    /// A smaller share for the self-audit counts as this, and no pause is longer than a day: it would never end.
    static let leastAuditShare = 0.000_1
    static let auditPauseLimit: UInt64 = 86_400_000_000_000
    /// A longer interval of the self-audit counts as this, a hundred years in nanoseconds: sums with it stay in range.
    static let auditIntervalLimit = 100 * 365 * 86_400e9
    /// Look-ups that a turn makes whatever time it has.
    static let lookUpsPerTurn = 64
    /// How many of the events behind a rename are looked through for what tells it from the half of an exchange.
    static let eventsAhead = 1_024
    /// With fewer look-ups waiting, each is made at once.
    static let promptLookUps = 256
    /// Look-ups that wait before no more events are read.
    static let lookUpsAhead = 1 << 20
}

extension InotifyMask {
    /// What a directory is watched for. Always the same: another mask for the same directory would replace it.
    static let directory: InotifyMask = [
        .create, .delete, .movedFrom, .movedTo, .modify, .closeWrite, .attributes, .deleteSelf, .moveSelf,
        .onlyDirectories, .excludeUnlinked,
    ]

    /// What the directories above a container are watched for: their own moves. Added to whatever they are watched for
    /// already, and never more than ``directory``, which may replace it.
    static let ancestor: InotifyMask = [
        .deleteSelf, .moveSelf, .onlyDirectories, .excludeUnlinked, .addToMask,
    ]

    /// The same for a directory that holds the container, or a symlink on the way to it: who takes its name matters.
    /// The container tells of its own removal only when nobody has it open any more, and a symlink tells of nothing.
    static let ancestorOfName: InotifyMask = ancestor.union([.create, .delete, .movedFrom, .movedTo])

    /// The same while the container is missing or cannot be read: what appears anywhere matters, and modes.
    static let ancestorOfMissing: InotifyMask = ancestorOfName.union(.attributes)

    /// What an event has whose entry is changed and not its name. A number: sets made for each event were a twentieth of
    /// the time beside a million files that are touched in a loop.
    static let contentChanges: UInt32 = InotifyMask([.modify, .closeWrite, .attributes, .isDirectory]).rawValue

    /// Events that change the directory itself too: its times and its links.
    static let changesDirectory: InotifyMask = [.create, .delete, .movedFrom, .movedTo]
}
