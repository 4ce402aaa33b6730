// Fresh copies of versions in conflict.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Logging
import Metadata
import SaveFiles
import Syncthing

/// Syncthing makes no copy of a copy, so a fresh one is claimed: it gets a name that follows from its contents, and that no other
/// version has. The device in the name of Syncthing's copy is the one whose version won. The lists of what devices saved tell the
/// author. It goes where GatherDocuments keep it: into `user.gather.device`.
extension ContainerSession {
    /// Claims the copies that were made before this session began.
    func findCopies() async throws {
        for index in folders.indices {
            let copies = try await find(
                "(\(ContainerSession.everything)) AND isConflictVersion == TRUE",
                in: folders[index].place)
            for part in copies {
                // These are not read at each start.
                let isClaimed = ClaimedName.isLike(folders[index].place.directory + "/" + part)
                if isClaimed {
                    folders[index].copies.note(unnamed: part)
                } else {
                    folders[index].copies.note(part)
                }
            }
            claimCopies(index)
        }
        nameCopies()
    }

    /// Claims fresh copies. That is done before Syncthing hears of them: two devices may have made copies of one name, and the one
    /// whose copy arrives later would lose its own.
    func claimCopies(_ index: Int) {
        let copies = folders[index].copies.takeFresh()
        if copies.isEmpty { return }
        let arriving: Set<String> = isClaiming ? copies.filter(folders[index].downloads.isStarted) : []
        for part in copies.subtracting(arriving).sorted() { take(part, index) }
        nameCopies()
        if !arriving.isEmpty { spawn { session in try await session.take(arriving: arriving, index) } }
    }

    private func take(_ part: String, _ index: Int) {
        let name = isClaiming ? claim(part, index) : nil
        // Both at once: Syncthing takes them for a rename.
        if let name { folders[index].scans.add([part, name]) }
        folders[index].copies.note(unnamed: name ?? part)
    }

    /// Claims copies of other devices. Syncthing sets the time of a file after its rename into place. If the file had another name
    /// then, it would keep the wrong time.
    private func take(arriving: Set<String>, _ index: Int) async throws {
        let place = folders[index].place
        for part in arriving.sorted() {
            if let record = try await run.client.file(part, of: place.folder)?.global, record.isFile, !record.isDeleted,
                let file = HeldFile(place.directory + "/" + part, part: part), file.size == record.size,
                let time = Timestamp(rfc3339: record.modified), time.nanoseconds < file.modified
            {
                FileTime.set(time, place.directory + "/" + part)
            }
            take(part, index)
        }
        // The feed starts the first scan.
        if feed.hasBegun { startScan(index) }
        nameCopies()
    }

    /// Gives a copy the name that follows from its contents, and returns its new path below the folder; nil if it keeps its
    /// name. An existing file of that name is the same version.
    private func claim(_ part: String, _ index: Int) -> String? {
        let place = folders[index].place.directory + "/"
        let names = part.split(separator: "/")
        // Else all contents would be read at each start, for nothing.
        guard mayRename(place + part) else { return nil }
        guard let name = names.last, let claimed = ClaimedName.of(place + part, named: String(name)), claimed != name
        else { return nil }
        let new = names.dropLast().map { $0 + "/" }.joined() + claimed
        do throws(SystemError) {
            let entry = try ContainerRoots.openParent(of: place + part)
            try Entry.renameToFree(
                entry.name, in: entry.directory.number, to: claimed, in: entry.directory.number)
            return new
        } catch {
            logger.debug("\(place + part) keeps its name: \(error)")
            return nil
        }
    }

    /// Whether this process may rename entries of the directory of a file.
    private func mayRename(_ path: String) -> Bool {
        guard let entry = try? ContainerRoots.openParent(of: path) else { return false }
        return faccessat(entry.directory.number, ".", W_OK | X_OK, 0) == 0
    }

    // MARK: Authors

    /// Looks for the authors of copies. Those whom no list tells wait until a list changes.
    func nameCopies() {
        guard folders.contains(where: { !$0.copies.unnamed.isEmpty }) else { return }
        if naming.want() { spawn { session in await session.nameAll() } }
    }

    private func nameAll() async {
        repeat {
            naming.beginRound()
            let lists = savedLists()
            for index in folders.indices {
                for part in folders[index].copies.unnamed { await name(part, index, lists) }
            }
        } while naming.endRound()
    }

    private func name(_ part: String, _ index: Int, _ lists: SavedLists) async {
        let path = folders[index].place.directory + "/" + part
        let present = CopyAuthor.read(path)
        // A file that is gone comes again under another name, if at all.
        guard let file = HeldFile(path, part: part), !(present.map { isDocumentsAuthor($0) } ?? false) else {
            folders[index].copies.note(named: part)
            return
        }
        guard lists.have(Timestamp(nanoseconds: file.modified)), let version = await SavedVersion.read(path),
            let device = lists.author(of: version)
        else { return }
        folders[index].copies.note(named: part)
        // An author that a helper wrote may be that of a version that was here before.
        if device != present { write(author: device, path) }
    }

    /// A file system without extended attributes, or a file that may not be written, keeps no author.
    private func write(author device: String, _ path: String) {
        let name = run.devices.values.first { $0.shortID == device }?.displayName ?? "unnamed"
        do throws(SystemError) { try CopyAuthor.write(device, name: name, path) } catch {
            logger.debug("the author of \(path) cannot be written: \(error)")
        }
    }
}
