// Pending renames against a list and a search.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import TestSupport
import Testing

@testable import FileWatching

@Suite struct PendingRenamesTests {
    private struct Key: Equatable {
        var cookie: UInt32
        var expiry: UInt64
        init?(_ rename: PendingRename?) {
            guard let rename else { return nil }
            (cookie, expiry) = (rename.cookie, rename.expiry)
        }
    }

    @Test(arguments: UInt64(1)...20) func likeAList(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var renames = PendingRenames()
        var list: [PendingRename] = []
        func file(_ number: UInt64) -> FileIdentity { PlayedKernel.status(number, .file, 1).identity }
        func compare(_ taken: PendingRename?, _ index: Int?, _ what: String) {
            let expected = index.map { list.remove(at: $0) }
            #expect(Key(taken) == Key(expected), "seed \(seed): \(what)")
        }
        for step in 0..<2_000 {
            let directory = DirectoryID(slot: Int32.random(in: 0..<4, using: &random), generation: 0)
            let name = [UInt8.random(in: 0..<8, using: &random)]
            let inode = UInt64.random(in: 1...6, using: &random)
            let container = UInt32.random(in: 1...2, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<10:
                guard !list.contains(where: { $0.directory == directory && $0.name == name }) else { break }
                // One that could not be paired yet is put back with the position that it had.
                let position = step % 5 == 0 ? UInt64.random(in: 0...UInt64(step), using: &random) : UInt64(step)
                let rename = PendingRename(
                    cookie: UInt32(step), directory: directory, container: container, name: name,
                    identity: inode == 6 ? nil : file(inode), deadline: UInt64(step + 30),
                    origin: Origin(position: position))
                renames.append(rename)
                list.append(rename)
            case 10..<13:
                let index = list.lastIndex { $0.directory == directory && $0.name == name }
                let position = UInt64.random(in: 0...UInt64(step), using: &random)
                name.withUnsafeBytes {
                    #expect(renames.lowerPosition(directory, $0, to: position) == (index != nil))
                    if let index { list[index].origin.position = min(list[index].origin.position, position) }
                    #expect(renames.leastPosition == list.map(\.origin.position).min(), "seed \(seed): least position")
                    if Bool.random(using: &random) { return }
                    compare(renames.take(directory, $0), index, "by place")
                }
            case 13..<16:
                let cookie = list.randomElement(using: &random)?.cookie ?? 0
                compare(renames.take(cookie: cookie), list.firstIndex { $0.cookie == cookie }, "by cookie")
            case 16..<18:
                let identity = file(inode)
                #expect(renames.contains(identity) == list.contains { $0.identity == identity })
                compare(
                    renames.take(identity, in: container),
                    list.firstIndex { $0.identity == identity && $0.container == container }, "by file")
            case 18:
                let now = UInt64(step)
                for index in list.indices where now >= list[index].deadline && list[index].expiry == .max {
                    list[index].expiry = now * 2
                }
                let isKept = { (rename: PendingRename) in rename.container == 1 && rename.expiry > now }
                let expected = list.filter { now >= $0.deadline && !isKept($0) }
                let taken = renames.expired(now: now)
                    .filter { renames.expire($0, position: now * 2, lookUps: 0, isKept: isKept) != nil }
                    .compactMap { renames.take($0) }
                #expect(taken.map { Key($0) } == expected.map { Key($0) }, "seed \(seed): expired")
                let gone = Set(expected.map(\.cookie))
                list.removeAll { gone.contains($0.cookie) }
            default:
                if Int.random(in: 0..<10, using: &random) == 0 {
                    renames.removeAll(of: container)
                    list.removeAll { $0.container == container }
                }
            }
            #expect(renames.count == list.count)
            #expect(renames.oldest?.cookie == list.first?.cookie)
            #expect(Set(renames.all.map(\.cookie)) == Set(list.map(\.cookie)))
        }
    }
}
