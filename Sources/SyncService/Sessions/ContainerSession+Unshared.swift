// The items that Syncthing does not send.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Syncthing
import Varlink

extension ContainerSession {
    /// Finds the items of a folder that are not sent, since a pattern or their kind prevents it. Lists the items of a
    /// folder whose state differs from that of the container.
    func findUnshared(_ index: Int) async throws {
        let folder = folders[index].place
        let special = try await find(
            "(\(ContainerSession.everything)) AND kind IN {'fifo', 'socket', 'characterDevice', 'blockDevice'}",
            in: folder)
        folders[index].unshared.take(special: special)
        let differs = baseState(folders[index]) != baseState()
        guard folders[index].unshared.isIgnoring || differs else { return }
        let items = try await find(ContainerSession.everything, in: folder)
        folders[index].unshared.take(items: items, differs: differs)
        guard folders[index].unshared.isIgnoring else { return }
        // An item can be ignored here and known from other devices, so `browse` does not tell. 0.5 ms for each item.
        for part in items { try await checkShared(part, index) }
    }

    /// Notes whether Syncthing ignores an item.
    func checkShared(_ part: String, _ index: Int) async throws {
        let record = try await run.client.file(part, of: folders[index].place.folder)?.local
        folders[index].unshared.note(part, isShared: record.map { !$0.isIgnored } ?? false)
    }

    /// Returns the paths below a folder of the items that a predicate matches now: all, or so many that changed last.
    func find(_ predicate: String, in folder: FolderPlace, newest: Int64? = nil) async throws -> Set<String> {
        let client = try await gatherd.connect()
        let scope = folder.prefix.isEmpty ? container : directory + "/" + folder.prefix
        let request = QueryInterface.Find.Request(
            predicate: predicate, scopes: [scope], attributes: ["path"],
            sort: newest.map { _ in [SortKeyMessage(attribute: "modified", ascending: false)] }, limit: newest)
        let replies = FeedReader(client.callMore(QueryInterface.Find.self, request))
        var parts: Set<String> = []
        while let reply = try await TimeLimit.run(
            "a search of gatherd", SyncLimits.silence, { try await replies.next() })
        {
            for item in try reply.reply(of: QueryInterface.Find.self).items {
                guard let path = item.path, let below = ResolvedPath.below(directory, path),
                    let (index, part) = self.folder(of: below), folders[index].place == folder
                else { continue }
                parts.insert(part)
            }
        }
        return parts
    }
}
