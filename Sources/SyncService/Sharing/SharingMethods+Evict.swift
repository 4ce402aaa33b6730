// Evicting and downloading items.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LinuxSystem
import Syncthing

extension SharingMethods {
    /// Frees the copies here of items at and below paths.
    func evict(_ request: SharingInterface.Evict.Request, _ answer: SharingAnswer) async throws {
        // One is held back, since the last reply has to end the call.
        let held = HeldReply()
        for text in request.paths {
            let (session, path) = try await session(text)
            let files = await session.heldFiles(at: path)
            if files.isEmpty { throw SharingError.noSuchItem(path: text) }
            for (index, files) in files.sorted(by: { $0.key < $1.key }) {
                for start in stride(from: 0, to: files.count, by: SyncLimits.evictedAtOnce) {
                    let part = Array(files[start..<min(files.count, start + SyncLimits.evictedAtOnce)])
                    try await session.evict(part, index) { path, bytes in
                        let reply = SharingInterface.Evict.Reply(path: path, bytes: bytes)
                        guard let before = await held.exchange(reply), answer.wantsMore else { return }
                        answer.reply(before, continues: true)
                        await answer.untilWritable()
                    }
                }
            }
        }
        answer.reply(await held.exchange(nil) ?? SharingInterface.Evict.Reply(path: "", bytes: 0))
    }

    private actor HeldReply {
        private var reply: SharingInterface.Evict.Reply?

        func exchange(_ next: SharingInterface.Evict.Reply?) -> SharingInterface.Evict.Reply? {
            defer { reply = next }
            return reply
        }
    }

    /// Brings evicted items at and below paths back.
    func download(_ request: SharingInterface.Download.Request, _ answer: SharingAnswer) async throws {
        var last = SharingInterface.Download.Reply(path: "", done: 0, total: 0)
        for text in request.paths {
            let (session, path) = try await session(text)
            let parts = await session.absent(at: path)
            if parts.isEmpty {
                // A file that is here needs no download.
                guard ResolvedPath.exists(path) else { throw SharingError.noSuchItem(path: text) }
                continue
            }
            for (index, parts) in parts {
                let size = try await session.download(parts, index) { done, total in
                    guard answer.wantsMore, done < total else { return }
                    answer.reply(
                        SharingInterface.Download.Reply(path: path, done: done, total: total), continues: true)
                    await answer.untilWritable()
                }
                last.done = last.done.clampedAdding(size)
                last.total = last.done
            }
            last.path = path
            // Another device may have removed it meanwhile.
            guard ResolvedPath.isEntry(path) else { throw SharingError.noSuchItem(path: text) }
        }
        answer.reply(last)
    }

    /// Finds the session of the container that holds a path, and the path without symbolic links in its directories.
    private func session(_ text: String) async throws -> (ContainerSession, String) {
        guard text.hasPrefix("/") else { throw SharingError.noSuchItem(path: text) }
        _ = try await running()
        var (directory, name) = (text, "")
        while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
        if let slash = directory.lastIndex(of: "/") {
            name = String(directory[directory.index(after: slash)...])
            directory = String(directory[..<slash])
        }
        // A link below a container could lead out of it.
        do throws(SystemError) {
            _ = try ContainerRoots.open(Array((directory.isEmpty ? "/" : directory).utf8), access: .path)
        } catch {
            if error == .tooManyLinks { throw SharingError.noSuchItem(path: text) }
        }
        let parent = ResolvedPath.of(directory.isEmpty ? "/" : directory)
        let path = (parent == "/" ? "" : parent) + "/" + name
        for container in await core.containers ?? [] {
            guard ResolvedPath.below(ResolvedPath.of(container.path), path) != nil else { continue }
            guard container.sync == "syncthing" else { throw SharingError.notShared(identifier: container.identifier) }
            guard let session = await core.session(container.identifier) else {
                throw ContainerSession.notKnown(container.identifier)
            }
            return (session, path)
        }
        throw SharingError.noSuchItem(path: text)
    }
}
