// Writing the store's own file.
// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

extension KeyValueDirectory {
    /// Writes the own file, and returns when it is on disk.
    ///
    /// If the store has no slot yet, it takes one. The contents of that slot are merged into `contents` first.
    mutating func save(_ contents: inout KeyValueFile) throws(DocumentError) {
        try reopenIfReplaced()
        do throws(SystemError) {
            if try !ownsFile() {
                slot = nil
                if try takeSlot(&contents) { return }
            }
            try replace(with: contents)
        } catch {
            if error == .tooLarge { throw .fileTooLarge(bytes: contents.bytes.count) }
            throw .system("write a file in", path, error)
        }
    }

    /// Returns whether the slot's name still stands for the locked file. Another program, such as Syncthing after a device was
    /// folded in, may have removed or replaced it. Another process may then hold the slot.
    private func ownsFile() throws(SystemError) -> Bool {
        guard let slot else { return false }
        return try slot.file.descriptor.isEntry(slot.name.text, in: descriptor.number)
    }

    /// Whether the own file is there. If that cannot be told, it is taken for missing, and saving has the error.
    var hasOwnFile: Bool { (try? ownsFile()) ?? false }

    /// Takes the first free slot. Returns whether it wrote the contents into a new file.
    ///
    /// - Throws: `EMFILE` if all slots are taken.
    private mutating func takeSlot(_ contents: inout KeyValueFile) throws(SystemError) -> Bool {
        for number in 0..<KeyValueLimits.mostSlots {
            let name = KeyValueFileName(device: device, slot: number)
            switch try attempt(name, &contents) {
            case .taken: return false
            case .made: return true
            case .busy: continue
            }
        }
        throw .tooManyDescriptors
    }

    private enum Attempt {
        case taken
        case made
        case busy
    }

    private mutating func attempt(
        _ name: KeyValueFileName, _ contents: inout KeyValueFile
    ) throws(SystemError) -> Attempt {
        do throws(SystemError) {
            let file = try LockedFile.locking(existing: name.text, in: descriptor.number)
            // Its holder may have replaced it between the two calls.
            guard try file.descriptor.isEntry(name.text, in: descriptor.number) else { return .busy }
            // A file that cannot be read is kept, and not written.
            guard let bytes = try? FileBytes.read(file.descriptor, limit: KeyValueLimits.largestFile),
                let earlier = try? KeyValueFile(bytes)
            else { return .busy }
            contents.table.merge(earlier.table)
            contents.clock.observe(time: earlier.clock.time, counter: earlier.clock.counter)
            contents.hasSeenOthers = contents.hasSeenOthers || earlier.hasSeenOthers
            slot = KeyValueSlot(name: name, file: file)
            return .taken
        } catch {
            if error == .noEntry { return try make(name, contents) ? .made : .busy }
            // A file of another owner, or none at all: the slot is not ours.
            if [.wouldBlock, .noAccess, .tooManyLinks, .isDirectory].contains(error) { return .busy }
            throw error
        }
    }

    /// Makes the file of a slot. Returns false if another process is making it.
    private mutating func make(_ name: KeyValueFileName, _ contents: KeyValueFile) throws(SystemError) -> Bool {
        do throws(SystemError) {
            let file = try prepare(name, contents)
            try Entry.renameToFree(name.temporary, in: descriptor.number, to: name.text, in: descriptor.number)
            try descriptor.synchronize()
            slot = KeyValueSlot(name: name, file: file)
            return true
        } catch {
            if error == .wouldBlock || error == .exists { return false }
            throw error
        }
    }

    private mutating func replace(with contents: KeyValueFile) throws(SystemError) {
        guard let name = slot?.name else { throw .invalid }
        let file = try prepare(name, contents)
        try Entry.rename(name.temporary, in: descriptor.number, to: name.text, in: descriptor.number)
        try descriptor.synchronize()
        slot = KeyValueSlot(name: name, file: file)
    }

    /// Writes the contents under the temporary name, locked and synced.
    private func prepare(_ name: KeyValueFileName, _ contents: KeyValueFile) throws(SystemError) -> LockedFile {
        let bytes = contents.bytes
        guard bytes.count <= KeyValueLimits.largestFile else { throw .tooLarge }
        let temporary = name.temporary
        // A killed process may have left the file.
        let file = try LockedFile(
            locking: Entry.openForWriting(temporary, in: descriptor.number, mode: 0o666, truncate: false))
        guard try file.descriptor.isEntry(temporary, in: descriptor.number) else { throw .wouldBlock }
        try file.descriptor.truncate(to: 0)
        try file.descriptor.writeAll(bytes)
        try file.descriptor.synchronize()
        return file
    }

    /// Removes files, and syncs the directory.
    func remove(_ names: [String]) throws(DocumentError) {
        guard !names.isEmpty else { return }
        for name in names {
            do throws(SystemError) {
                try Entry.remove(name, in: descriptor.number)
            } catch {
                if error != .noEntry { throw .system("remove", path(of: name), error) }
            }
        }
        do throws(SystemError) { try descriptor.synchronize() } catch { throw .system("sync", path, error) }
    }
}
