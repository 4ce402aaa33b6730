// Reading one directory: watch first, then read, then look at each entry. Runs on the crawling threads.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

/// Reads directories with buffers of its own; each crawling thread has one.
struct DirectoryReader<Kernel: WatchKernel>: ~Copyable {
    private let kernel: Kernel
    private let budget: WatchBudget
    private let limits: WatchLimits
    /// Whether the watcher is being closed.
    private let isStopping: () -> Bool
    private let records: UnsafeMutableRawBufferPointer
    private let xattrs: UnsafeMutableRawBufferPointer

    static var recordsSize: Int { 64 * 1024 }

    init(kernel: Kernel, budget: WatchBudget, limits: WatchLimits, isStopping: @escaping () -> Bool) {
        self.kernel = kernel
        self.budget = budget
        self.limits = limits
        self.isStopping = isStopping
        // Owned by this value alone until its deinit.
        records = .allocate(byteCount: DirectoryReader.recordsSize, alignment: 8)
        xattrs = .allocate(byteCount: WatchLimits.xattrBuffer, alignment: 8)
    }

    deinit {
        records.deallocate()
        xattrs.deallocate()
    }

    /// Does a job. The directories to descend into are appended to `jobs`, in the order of their tickets.
    func read(
        _ job: CrawlJob, round: UInt32, tickets: (Int) -> UInt64, jobs: inout [CrawlJob]
    ) -> CrawlResult {
        var result = CrawlResult(ticket: job.ticket, task: job.task, round: round)
        let began = job.isMeasured ? kernel.processorTime() : 0
        result.hasXattrs = job.options.readsXattrs
        result.batch.xattrLimit = limits.extraBytesOfDirectory
        do throws(SystemError) {
            let directory = try open(job)
            defer { kernel.close(directory) }
            addWatch(on: directory, job, &result)
            // As the entry that it has for itself: refused without the permission to search, as all others are.
            let status = try kernel.status(of: ".", in: directory)
            result.status = status.file
            guard status.file.inode == job.inode, status.file.device == job.device else { throw .stale }
            try readEntries(of: directory, job, into: &result)
            if result.batch.lacksRoom { result.xattrError = .noMemory }
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
            result.batch.reserve(entries, nameBytes: nameBytes, xattrs: job.options.readsXattrs)
            Directory.forEachEntry(in: filled) { name in
                if !job.options.ignored.isEmpty, job.options.ignored.contains(name) { return }
                readEntry(name, in: directory, job, into: &result)
            }
            // The mount failed, so the entries that are missing may well exist.
            if let error = result.entryError, error.isOfMount { throw error }
        }
    }

    @inline(__always)
    private func readEntry(
        _ name: UnsafeRawBufferPointer, in directory: CInt, _ job: CrawlJob, into result: inout CrawlResult
    ) {
        // A file system in user space may have names that no other call takes, or any number of them. Such an entry is left
        // out, and its directory counts as one that cannot be read in full.
        guard name.count <= WatchLimits.nameLength, result.batch.names.count <= WatchLimits.nameBytesOfDirectory else {
            result.entryError = .nameTooLong
            return
        }
        // forEachEntry leaves the NUL behind the name where it is.
        guard let text = name.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
        do throws(SystemError) {
            var status = try kernel.entryStatus(of: text, in: directory)
            guard job.options.readsXattrs else {
                result.batch.append(name: name, status: status.file, isMountRoot: status.isMountRoot)
                return
            }
            let value = readXattrs(of: text, &status, in: directory, &result)
            result.batch.append(name: name, status: status.file, isMountRoot: status.isMountRoot, read: value)
        } catch {
            // An entry that went away meanwhile is told by an event: the watch was there first.
            if error != .noEntry { result.entryError = error }
        }
    }

    /// The extended attributes of an entry; nil where nothing can be said of them.
    private func readXattrs(
        of name: UnsafePointer<CChar>, _ status: inout KernelStatus, in directory: CInt, _ result: inout CrawlResult
    ) -> UnsafeRawBufferPointer? {
        do throws(SystemError) {
            return try kernel.readXattrs(of: name, &status, in: directory, into: xattrs)
        } catch {
            result.xattrError = error
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

    mutating func reserve(_ count: Int, nameBytes: Int, xattrs: Bool) {
        names.reserveCapacity(names.count + nameBytes)
        nameEnds.reserveCapacity(nameEnds.count + count)
        statuses.reserveCapacity(statuses.count + count)
        if xattrs { xattrPlaces.reserveCapacity(xattrPlaces.count + count) }
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
