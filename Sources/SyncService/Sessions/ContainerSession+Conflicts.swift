// Fresh copies of versions in conflict.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Logging
import Metadata
import Syncthing

/// The device in the name of Syncthing's copy is the one whose version won. The author of the copy is the device that made the
/// copy, which Syncthing's database has. It goes where GatherDocuments keep it: into `user.gather.device`.
extension ContainerSession {
    /// The file below a container that asks that copies are claimed. Syncthing takes it to all devices.
    static let claimRequest = EvictedList.directory + "/claim-conflicts"
    private static let authorAttribute = "user.gather.device"

    /// Claims the copies that were made before this session began. A claimed one has an author.
    func findCopies() async throws {
        guard isClaiming else { return }
        for index in folders.indices {
            let copies = try await find(
                "(\(ContainerSession.everything)) AND kind == 'file' AND name LIKE '*.sync-conflict-*'"
                    + " AND xattr.gather.device == NULL", in: folders[index].place)
            for part in copies { noteCopy(part, index) }
            claimCopies(index)
        }
    }

    private var isClaiming: Bool {
        ResolvedPath.exists(ResolvedPath.of(directory) + "/" + ContainerSession.claimRequest)
    }

    /// Notes a file that may be a fresh copy. Applications keep what they removed below `.gather`, and its names.
    func noteCopy(_ part: String, _ index: Int) {
        guard part.utf8.count > ConflictName.leastAddedBytes else { return }
        let names = part.split(separator: "/")
        guard ConflictName(String(names.last ?? "")) != nil, !names.contains(".gather") else { return }
        folders[index].freshCopies.insert(part)
    }

    /// Claims fresh copies, where the container asks for it. That is done before Syncthing hears of them: two devices may
    /// have made copies of one name, and the one whose copy arrives later would lose its own.
    func claimCopies(_ index: Int) {
        guard !folders[index].freshCopies.isEmpty else { return }
        let (copies, isClaiming) = (folders[index].freshCopies.sorted(), isClaiming)
        folders[index].freshCopies = []
        var claimed: [(part: String, name: String)] = []
        for part in copies {
            guard isClaiming, let name = claim(part, index) else {
                folders[index].copies.insert(part)
                continue
            }
            claimed.append((part, name))
            // Both at once: Syncthing takes them for a rename.
            folders[index].pending.formUnion([part, name])
        }
        guard !claimed.isEmpty else { return }
        folders[index].claims += 1
        spawn { [claimed] session in try await session.take(claimed: claimed, index) }
    }

    private func take(claimed: [(part: String, name: String)], _ index: Int) async throws {
        let place = folders[index].place
        for (part, name) in claimed {
            let path = place.directory + "/" + name
            guard let status = try? EntryStatus(of: path, in: Entry.workingDirectory) else { continue }
            let modified = Timestamp(
                seconds: status.modified.seconds, nanoseconds: Int64(status.modified.nanoseconds))
            let copy = FeedChange.file(size: status.size, modified: modified)
            let entry = try await run.client.file(part, of: place.folder)
            // A copy that Syncthing does not know was made here.
            let known = [entry?.local, entry?.global].compactMap { $0 }.first { copy.isKnown(as: $0) }
            setAuthor(known?.modifiedBy ?? run.shortID, of: path)
        }
        folders[index].claims -= 1
        // The feed starts the first scan.
        if sequence > 0, !isListing { startScan(index) }
    }

    /// Looks at fresh copies that were not claimed, once Syncthing's database has them.
    func takeCopies(_ index: Int) {
        guard !folders[index].copies.isEmpty, !folders[index].isTakingCopies else { return }
        let copies = folders[index].copies.sorted()
        folders[index].copies = []
        folders[index].isTakingCopies = true
        spawn { session in try await session.take(copies: copies, index) }
    }

    private func take(copies: [String], _ index: Int) async throws {
        let place = folders[index].place
        for part in copies {
            let record = try await run.client.file(part, of: place.folder)?.local
            if let record, !record.isDeleted { setAuthor(record.modifiedBy, of: place.directory + "/" + part) }
        }
        folders[index].isTakingCopies = false
        takeCopies(index)
    }

    /// Writes the author of a copy, unless the file has one. A file system without extended attributes, or a file that may not
    /// be written, keeps none.
    private func setAuthor(_ device: String, of path: String) {
        guard ConflictName.isDevice(device) else { return }
        let name = run.devices.values.first { $0.shortID == device }?.displayName ?? "unnamed"
        do throws(SystemError) {
            let file = try Entry.openForReading(path)
            let key = ContainerSession.authorAttribute
            let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
            if try ExtendedAttributes.get(key, of: "", in: file.number, into: nothing) != nil { return }
            let value = Array("\(device) \(name)".utf8)
            let number = file.number
            let result: Result<Void, SystemError> = value.withUnsafeBytes { bytes in
                do throws(SystemError) {
                    return .success(try ExtendedAttributes.set(key, of: "", in: number, to: bytes))
                } catch {
                    return .failure(error)
                }
            }
            try result.get()
        } catch {
            logger.debug("the author of \(path) cannot be written: \(error)")
        }
    }

    /// Gives a copy the name that follows from its contents, and returns its new path below the folder; nil if it keeps its
    /// name. An existing file of that name is the same version.
    private func claim(_ part: String, _ index: Int) -> String? {
        let place = folders[index].place.directory + "/"
        let names = part.split(separator: "/")
        guard let name = names.last, let claimed = ClaimedName.of(place + part, named: String(name)), claimed != name
        else { return nil }
        let new = names.dropLast().map { $0 + "/" }.joined() + claimed
        do throws(SystemError) {
            try Entry.renameToFree(place + part, to: place + new)
            return new
        } catch {
            logger.debug("\(place + part) keeps its name: \(error)")
            return nil
        }
    }
}
