// Opening directories for look-ups in them: the way down from the nearest one that is open.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata

extension TreeWatcher {
    /// Returns an open descriptor of a directory, for look-ups in it. It stays open at least until the next call. Errors:
    /// `stale` and the like where the directory, known by device and inode, is not where its row is.
    ///
    /// A long way is opened in strides, each of which keeps its last directory open. So neighbours in a deep tree cost a
    /// stride each, and not their depth.
    func descriptor(of id: DirectoryID) throws(SystemError) -> CInt {
        let slot = directories[id].cacheSlot
        if slot >= 0 { return opening.cache.use(slot) }
        return keep(try open(id), of: id)
    }

    private func keep(_ number: CInt, of id: DirectoryID) -> CInt {
        let (slot, evicted) = opening.cache.insert(number, for: id)
        directories[id].cacheSlot = slot
        if let evicted {
            directories[evicted.directory].cacheSlot = -1
            kernel.close(evicted.number)
        }
        return number
    }

    func closeDescriptor(of id: DirectoryID) {
        if let number = takeDescriptor(of: id) { kernel.close(number) }
    }

    /// Takes the descriptor of a directory out of the cache; nil if it is not open.
    private func takeDescriptor(of id: DirectoryID) -> CInt? {
        let slot = directories[id].cacheSlot
        guard slot >= 0 else { return nil }
        directories[id].cacheSlot = -1
        let number = opening.cache.remove(slot)
        return number >= 0 ? number : nil
    }

    /// Closes the descriptor of a directory that leaves the tree when there is time. The last descriptor of a directory that was
    /// removed keeps its inode, and those of the removed directories above it: the kernel frees them in close(2), a
    /// millisecond for a stride.
    func closeDescriptorLater(of id: DirectoryID) {
        if let number = takeDescriptor(of: id) { opening.cache.closeLater(number) }
    }

    /// Closes descriptors of directories that have left the tree, as many as there is time for, and a few in any case. No
    /// more than ``WatchSettings/openDirectoryLimit`` stay open: other calls would fail with EMFILE.
    func closeDescriptors(isAll: Bool = false) {
        var closed = 0
        while let number = opening.cache.takeUnclosed() {
            kernel.close(number)
            closed += 1
            if isAll || opening.cache.unclosedCount > settings.openDirectoryLimit { continue }
            if closed >= WatchLimits.closesPerIteration, iteration.isPastDeadline(kernel.now()) { return }
        }
    }

    /// Closes all directories above one, so that the next that is opened below is opened by the way from the root.
    func closeDescriptors(above id: DirectoryID) {
        var node = directories[id].node
        while let parent = tree.parent(of: node) {
            if let above = directories.directory(at: parent) { closeDescriptor(of: above) }
            node = parent
            iteration.noteSteps(1)
        }
    }

    /// Closes the directories that were not used for a while.
    func closeIdleDirectories() {
        guard opening.cache.nextDeadline(idleTime: 0) != nil else { return }
        for idle in opening.cache.sweep(now: kernel.now(), idleTime: settings.directoryIdleTime) {
            closeDescriptor(of: idle.directory)
        }
    }

    /// Closes all directories, so that umount(8) succeeds at once. Done at each iteration's end, it made a look half again as
    /// expensive.
    func closeOpenDirectories() {
        for entry in opening.cache.removeAll() {
            directories[entry.directory].cacheSlot = -1
            kernel.close(entry.number)
        }
    }

    private func open(_ id: DirectoryID) throws(SystemError) -> CInt {
        do throws(SystemError) {
            return try openOnce(id)
        } catch {
            guard error == .tooManyDescriptors || error == .tooManyDescriptorsInSystem else { throw error }
        }
        closeDescriptors(isAll: true)
        closeOpenDirectories()
        return try openOnce(id)
    }

    private func openOnce(_ id: DirectoryID) throws(SystemError) -> CInt {
        opening.lost.beginOpening()
        let record = directories[id]
        guard tree.parent(of: record.node) != nil else {
            guard let container = containers[record.node.container] else { throw .stale }
            return try check(try kernel.openDirectory(at: container.path, access: .path), is: id)
        }
        let (start, way) = try way(to: id)
        var from: CInt
        do throws(SystemError) {
            from = try descriptor(of: start)
        } catch {
            noteObstacle(start, on: way, error)
            throw error
        }
        var rest = way[...]
        while true {
            let stride = rest.suffix(WatchLimits.stride)
            let number = try openLowest(of: stride, on: way, beneath: from)
            rest = rest.dropLast(stride.count)
            if rest.isEmpty { return number }
            from = keep(number, of: way[rest.endIndex])
        }
    }

    /// Returns the nearest directory above that is open, or the root, and the way down from it, the lowest first.
    private func way(to id: DirectoryID) throws(SystemError) -> (start: DirectoryID, way: [DirectoryID]) {
        var way: [DirectoryID] = []
        var current = id
        while true {
            if let lost = opening.lost.lost(atOrAbove: current.slot) {
                opening.lost.mark(way, below: lost)
                throw .stale
            }
            guard let parent = tree.parent(of: directories[current].node),
                let above = directories.directory(at: parent)
            else {
                // The root is not open.
                guard current != id, tree.parent(of: directories[current].node) == nil else { throw .stale }
                return (current, way)
            }
            way.append(current)
            iteration.noteSteps(1)
            counters.stepsClimbed += 1
            if directories[above].cacheSlot >= 0 { return (above, way) }
            current = above
        }
    }

    /// Opens the lowest of directories that lie one in another, the lowest first, the highest in an open one. Where that
    /// fails the highest that cannot be opened is found, and noted.
    private func openLowest(
        of stride: ArraySlice<DirectoryID>, on way: [DirectoryID], beneath directory: CInt
    ) throws(SystemError) -> CInt {
        var failure: SystemError
        do throws(SystemError) {
            return try openInPlace(stride, beneath: directory)
        } catch {
            failure = error
        }
        var (reached, missed) = (0, stride.count)
        while missed - reached > 1, !failure.isLack {
            let middle = (reached + missed) / 2
            do throws(SystemError) {
                kernel.close(try openInPlace(stride.suffix(middle), beneath: directory))
                reached = middle
            } catch {
                (missed, failure) = (middle, error)
            }
        }
        let highest = stride.endIndex - missed
        noteObstacle(way[highest], on: way[...highest], failure)
        throw failure
    }

    private func openInPlace(_ stride: ArraySlice<DirectoryID>, beneath directory: CInt) throws(SystemError) -> CInt {
        guard let lowest = stride.first else { throw .invalid }
        let path = joinNames(of: stride.map { directories[$0].node })
        var opened: CInt = -1
        var failure: SystemError?
        path.withUnsafeBytes {
            do throws(SystemError) {
                opened = try kernel.openDirectory(longPath: $0, beneath: directory, access: .path)
            } catch {
                failure = error
            }
        }
        counters.waysTried += 1
        if let failure { throw failure }
        return try check(opened, is: lowest)
    }

    /// Returns an open directory that is known to be the one of a record; closes any other.
    private func check(_ number: CInt, is id: DirectoryID) throws(SystemError) -> CInt {
        guard let status = try? kernel.status(of: "", in: number), status.file.inode == directories[id].inode,
            status.file.device == directories[id].device
        else {
            kernel.close(number)
            throw .stale
        }
        return number
    }

    /// A directory could not be opened in its place. If it is not there, neither is the way to the directories below.
    private func noteObstacle(_ id: DirectoryID, on way: some Sequence<DirectoryID>, _ error: SystemError) {
        opening.lost.noteObstacle(id)
        // EAGAIN: renames came in between (openat2(2)), so nothing is known.
        if error.isRefusal || error.isShortage { return }
        opening.lost.mark(CollectionOfOne(id), below: id.slot)
        opening.lost.mark(way, below: id.slot)
    }

    /// Gives an entry another place. Directories below are reached by another way from now on.
    func moveRow(_ node: TreeNode, to directory: TreeNode, named name: UnsafeRawBufferPointer) {
        tree.move(node, to: directory, named: name)
        placeChanged(node)
    }

    /// Has two entries change places.
    func exchangeRows(_ a: TreeNode, _ b: TreeNode) {
        tree.exchange(a, b)
        placeChanged(a)
        placeChanged(b)
    }

    /// A row has another place, or its directory was found: it is not lost, whatever was found before.
    func placeChanged(_ node: TreeNode) {
        guard !opening.lost.isEmpty, let id = directories.directory(at: node) else { return }
        opening.lost.release(id.slot)
    }

    private func joinNames(of nodes: [TreeNode]) -> [UInt8] {
        var path: [UInt8] = []
        for node in nodes.reversed() {
            if !path.isEmpty { path.append(UInt8(ascii: "/")) }
            tree.appendName(of: node, to: &path)
        }
        return path
    }

    /// Whether the path of an entry below its container's root has at most `count` bytes. Takes as many steps at most.
    func hasPath(of node: TreeNode, within count: Int) -> Bool {
        var name: [UInt8] = []
        var current = node
        while let parent = tree.parent(of: current) {
            tree.appendName(of: current, to: &name)
            name.append(UInt8(ascii: "/"))
            if name.count > count { return false }
            current = parent
        }
        return true
    }

    /// Returns the path of an entry below its container's root.
    func path(of node: TreeNode) -> [UInt8] {
        var nodes: [TreeNode] = []
        var current = node
        while let parent = tree.parent(of: current) {
            nodes.append(current)
            current = parent
        }
        iteration.noteSteps(nodes.count)
        return joinNames(of: nodes)
    }

    func openRoot(_ container: WatchedContainer) throws(SystemError) -> OpenDirectory {
        if let open = container.openRoot { return open }
        guard let root = container.root else { throw .noEntry }
        let number = try kernel.openDirectory(at: container.path, access: .path)
        let open = OpenDirectory(owning: number) { [kernel] in kernel.close($0) }
        let status = try kernel.status(of: "", in: number)
        guard status.file.inode == directories[root].inode, status.file.device == directories[root].device else {
            throw .stale
        }
        container.openRoot = open
        container.above.resolvedPath = kernel.path(of: number) ?? container.above.resolvedPath
        return open
    }
}
