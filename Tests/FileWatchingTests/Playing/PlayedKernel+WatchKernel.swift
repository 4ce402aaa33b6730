// The played kernel as the watcher calls it.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization

extension PlayedKernel: WatchKernel {
    func now() -> UInt64 { state.withLock { $0.now } }
    func processorTime() -> UInt64 { now() }
    var queueLimit: Int { state.withLock { $0.limit } }

    func readEvents(atMost limit: Int) throws(SystemError) -> UnsafeRawBufferPointer {
        state.withLock { state in
            while let event = state.queue.first, state.readable != 0, records.append(event, atMost: limit) {
                state.queue.removeFirst()
                if let readable = state.readable { state.readable = readable - 1 }
            }
            return records.take()
        }
    }

    func giveBack(_ count: Int) { records.giveBack(count) }

    func queuedBytes() throws(SystemError) -> Int {
        state.withLock { state in
            state.queue.reduce(records.count) { $0 + 16 + ($1.name.isEmpty ? 0 : ($1.name.utf8.count + 16) / 16 * 16) }
        }
    }

    func openDirectory(at path: UnsafePointer<CChar>, access: Directory.Access) throws(SystemError) -> CInt {
        try open(String(cString: path), from: 1, access)
    }

    func openDirectory(
        _ path: UnsafePointer<CChar>, beneath directory: CInt, access: Directory.Access
    ) throws(SystemError) -> CInt {
        guard let inode = state.withLock({ $0.descriptors[directory] }) else { throw .invalid }
        return try open(String(cString: path), from: inode, access)
    }

    private func open(_ path: String, from start: UInt64, _ access: Directory.Access) throws(SystemError) -> CInt {
        var result: Result<CInt, SystemError> = .failure(.noEntry)
        state.withLock { state in
            var inode = start
            if access == .path, let error = state.openErrors[path] {
                result = .failure(error)
                return
            }
            guard state.descriptors.count < state.descriptorLimit else {
                result = .failure(.tooManyDescriptors)
                return
            }
            if access == .path { state.opens += 1 }
            var rest = Array(path.split(separator: "/").map(String.init).reversed())
            while let name = rest.popLast() {
                if access == .path { state.steps += 1 }
                if state.inodes[inode]?.isUnsearchable == true {
                    result = .failure(.noAccess)
                    return
                }
                if name == "." { continue }
                guard let next = state.inodes[inode]?.children[name] else { return }
                if let target = state.targets[next] {
                    rest += target.split(separator: "/").map(String.init).reversed()
                    inode = 1
                    continue
                }
                guard state.inodes[next]?.status.kind == .directory else {
                    result = .failure(.notDirectory)
                    return
                }
                if state.inodes[next]?.isMountRoot == true {
                    result = .failure(.crossesDevice)
                    return
                }
                inode = next
            }
            if access == .reading, state.inodes[inode]?.isUnreadable == true {
                result = .failure(.noAccess)
                return
            }
            let descriptor = state.nextDescriptor
            state.nextDescriptor += 1
            state.descriptors[descriptor] = inode
            state.inodes[inode]?.opened += 1
            if access == .reading {
                state.listings[descriptor] = state.inodes[inode]?.children.keys.sorted() ?? []
            }
            result = .success(descriptor)
        }
        return try result.get()
    }

    func close(_ directory: CInt) {
        state.withLock { state in
            guard let inode = state.descriptors.removeValue(forKey: directory) else { fatalError("not open") }
            state.listings[directory] = nil
            state.inodes[inode]?.opened -= 1
            PlayedKernel.collect(inode, &state)
        }
    }

    func status(of name: UnsafePointer<CChar>, in directory: CInt) throws(SystemError) -> KernelStatus {
        let name = String(cString: name)
        var error = SystemError.noEntry
        let found: KernelStatus? = state.withLock { state in
            state.looks += 1
            state.now += state.costOfLook
            if let failure = state.statusErrors[name] {
                error = failure
                return nil
            }
            guard let parent = state.descriptors[directory] else { return nil }
            if !name.isEmpty, state.inodes[parent]?.isUnsearchable == true {
                error = .noAccess
                return nil
            }
            let isItself = name.isEmpty || name == "."
            guard let inode = isItself ? parent : state.inodes[parent]?.children[name],
                let entry = state.inodes[inode]
            else { return nil }
            var file = entry.status
            let isWithin = state.isUnstableWithin || state.isUnstableByOpening
            if inode == state.unstableInode, state.unstableLooks > 0, isItself || !isWithin {
                let number = state.isUnstableByOpening ? Int(directory) : state.unstableLooks
                file.inode = UInt64(1 << 40 + number)
                state.unstableLooks -= 1
            }
            return KernelStatus(file: file, isMountRoot: !isItself && entry.isMountRoot)
        }
        guard let found else { throw error }
        return found
    }

    func readSymlink(
        _ name: UnsafePointer<CChar>, in directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let name = String(cString: name)
        let target = state.withLock { state in
            state.descriptors[directory].flatMap { state.inodes[$0]?.children[name] }.flatMap { state.targets[$0] }
        }
        guard let target else { throw .invalid }
        buffer.copyBytes(from: Array(target.utf8))
        return target.utf8.count
    }

    func readEntries(of directory: CInt, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        state.withLock { state in
            var offset = 0
            while let name = state.listings[directory]?.first {
                let length = (19 + name.utf8.count + 8) / 8 * 8
                guard offset + length <= buffer.count else { break }
                state.listings[directory]?.removeFirst()
                for index in 0..<length { buffer[offset + index] = 0 }
                buffer.storeBytes(of: UInt16(length), toByteOffset: offset + 16, as: UInt16.self)
                for (index, byte) in name.utf8.enumerated() { buffer[offset + 19 + index] = byte }
                offset += length
            }
            return offset
        }
    }

    func addWatch(on directory: CInt, mask: InotifyMask) throws(SystemError) -> Int32 {
        var result: Result<Int32, SystemError> = .failure(.noEntry)
        state.withLock { state in
            guard let inode = state.descriptors[directory] else { return }
            if let watch = state.inodes[inode]?.watch {
                let old = mask.contains(.addToMask) ? state.inodes[inode]?.mask ?? [] : []
                state.inodes[inode]?.mask = old.union(mask)
                result = .success(watch)
                return
            }
            guard state.watches.count < state.watchLimit else {
                result = .failure(.noSpace)
                return
            }
            let watch = state.nextWatch
            state.nextWatch += 1
            state.watches[watch] = inode
            state.mostWatches = max(state.mostWatches, state.watches.count)
            state.inodes[inode]?.watch = watch
            state.inodes[inode]?.mask = mask
            result = .success(watch)
        }
        return try result.get()
    }

    func removeWatch(_ watch: Int32) throws(SystemError) {
        let existed = state.withLock { state in
            state.removedWatches.append(watch)
            guard let inode = state.watches.removeValue(forKey: watch) else { return false }
            state.inodes[inode]?.watch = nil
            state.queue.append(Event(watch: watch, mask: .ignored))
            return true
        }
        if !existed { throw .invalid }
    }

    func fileSystemType(of directory: CInt) -> FileSystemType? { state.withLock { $0.fileSystemType } }

    func userWatchLimit() -> Int? { state.withLock { $0.userWatchLimit } }

    func haveMountsChanged() -> Bool { false }

    func mounts() throws(SystemError) -> Set<Mount> {
        if let error = state.withLock({ $0.mountsError }) { throw error }
        return state.withLock { state in
            var mounts: Set<Mount> = []
            var stack: [(UInt64, String)] = [(1, "")]
            while let (inode, path) = stack.popLast() {
                guard let entry = state.inodes[inode] else { continue }
                if entry.isMountRoot { mounts.insert(Mount(number: Int(inode), path: Array(path.utf8))) }
                for (name, child) in entry.children { stack.append((child, path + "/" + name)) }
            }
            return mounts
        }
    }

    func accessList(of name: UnsafePointer<CChar>, in directory: CInt, owner: UInt32) -> AccessListID {
        let name = String(cString: name)
        return state.withLock { state in
            guard let parent = state.descriptors[directory],
                let inode = name.isEmpty ? parent : state.inodes[parent]?.children[name]
            else { return .none }
            return state.inodes[inode]?.accessList ?? .none
        }
    }

    func readXattrs(
        of name: UnsafePointer<CChar>, kind: FileKind, in directory: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        let name = String(cString: name)
        let result: Result<[UInt8], SystemError> = state.withLock { state in
            guard let parent = state.descriptors[directory],
                let inode = name.isEmpty ? parent : state.inodes[parent]?.children[name]
            else { return .failure(.noEntry) }
            state.beforeXattrs?(&state)
            if let error = state.inodes[inode]?.xattrError { return .failure(error) }
            let xattrs = state.inodes[inode]?.xattrs ?? []
            return .success(xattrs)
        }
        let xattrs = try result.get()
        buffer.copyBytes(from: xattrs)
        return xattrs.count
    }

    /// Lets go of an inode that nothing names or holds, as the kernel evicts it: its watch ends.
    static func collect(_ inode: UInt64, _ state: inout State) {
        guard let entry = state.inodes[inode], entry.status.links == 0, entry.opened == 0 else { return }
        if let watch = entry.watch {
            state.watches[watch] = nil
            state.queue.append(Event(watch: watch, mask: .deleteSelf))
            state.queue.append(Event(watch: watch, mask: .ignored))
        }
        state.inodes[inode] = nil
    }
}
