// Accounts get other names: those who come back and those who stayed are told what that makes of their answers.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import GatherService

@Suite(.needsRoot("other users")) struct RenamedAccountTests {
    /// Accounts whose names change: 41,001 is somebody else after ``rename()``.
    private final class Accounts: Sendable {
        private let directory: TemporaryDirectory?
        private let isRenamed = Mutex(false)

        /// With a directory the names stand in files there, as in `/etc`.
        init(in directory: TemporaryDirectory? = nil) throws {
            self.directory = directory
            try write()
        }

        func rename() throws {
            isRenamed.withLock { $0 = true }
            try write()
        }

        private func name(_ number: UInt32) -> [UInt8]? {
            switch number {
            case 0: Array("root".utf8)
            case 41_001: Array((isRenamed.withLock { $0 } ? "eva" : "ana").utf8)
            default: nil
            }
        }

        private func write() throws {
            guard let directory else { return }
            let lines = [UInt32(0), 41_001].map { "\(String(decoding: name($0) ?? [], as: UTF8.self)):x:\($0):\n" }
            try directory.write(lines.joined(), to: "accounts")
        }

        var answers: AccountDirectory {
            var answers = AccountDirectory(user: { self.name($0) }, group: { self.name($0) })
            if let directory {
                answers.userFile = directory.path + "/accounts"
                answers.groupFile = directory.path + "/accounts"
            }
            return answers
        }
    }

    private static let byOwner = QueryInterface.Watch.Request(predicate: "owner == 'ana'", attributes: ["path"])
    private static let tellingOwner = QueryInterface.Watch.Request(predicate: "", attributes: ["path", "owner"])
    private static let byNumber = QueryInterface.Watch.Request(predicate: "ownerID == 41001", attributes: ["path"])

    private func makeFiles(in directory: TemporaryDirectory) throws {
        try directory.makeDirectory("tree")
        for name in ["hers", "roots"] { try directory.write("", to: "tree/" + name) }
        chown(directory.path + "/tree/hers", 41_001, 41_001)
    }

    private func gathered(
        _ daemon: DaemonFixture, _ request: QueryInterface.Watch.Request
    ) async throws -> Subscriber {
        let subscriber = try await Subscriber(daemon, request)
        try await subscriber.gather()
        return subscriber
    }

    private func owners(_ subscriber: Subscriber) -> [String] {
        subscriber.values.values.compactMap(\.owner).sorted()
    }

    /// Comes back and says whether that was fresh.
    private func comeBack(
        _ subscriber: Subscriber, _ daemon: DaemonFixture, _ request: QueryInterface.Watch.Request
    ) async throws -> (isFresh: Bool, now: Subscriber) {
        let back = try await subscriber.comeBack(daemon, request)
        let isFresh = try await back.next().fresh == true
        try await back.gather()
        #expect(back.violations == [])
        return (isFresh, back)
    }

    private func reload(_ daemon: DaemonFixture) async throws {
        _ = try await daemon.call(ServiceInterface.Reload.self, .init())
    }

    @Test(arguments: [false, true]) func aClockFromBeforeTheNamesChangedIsKnownNoMore(inFiles: Bool) async throws {
        let directory = try TemporaryDirectory()
        let accounts = try Accounts(in: inFiles ? directory : nil)
        try makeFiles(in: directory)
        try await DaemonFixture.run(directory: directory, accounts: accounts.answers) { daemon in
            let hers = try await gathered(daemon, Self.byOwner)
            let all = try await gathered(daemon, Self.tellingOwner)
            let numbered = try await gathered(daemon, Self.byNumber)
            #expect(hers.items.count == 1 && numbered.items.count == 1 && owners(all) == ["ana", "root"])
            for subscriber in [hers, all, numbered] { await subscriber.close() }
            try accounts.rename()
            try await reload(daemon)
            let (isFresh, now) = try await comeBack(hers, daemon, Self.byOwner)
            #expect(isFresh && now.items.isEmpty)
            let (isFreshToo, allNow) = try await comeBack(all, daemon, Self.tellingOwner)
            #expect(isFreshToo && owners(allNow) == ["eva", "root"])
            // Names are nothing to this one.
            let (isFreshNot, numberedNow) = try await comeBack(numbered, daemon, Self.byNumber)
            #expect(!isFreshNot && numberedNow.items.count == 1)
            for subscriber in [now, allNow, numberedNow] { await subscriber.close() }
        }
    }

    @Test func aClockOutlivesARestartWhereTheFilesOfAccountsSayTheSame() async throws {
        let directory = try TemporaryDirectory()
        let accounts = try Accounts(in: directory)
        try makeFiles(in: directory)
        var held: [Subscriber] = []
        for run in 0..<3 {
            if run == 2 { try accounts.rename() }
            try await DaemonFixture.run(directory: directory, accounts: accounts.answers) { daemon in
                guard run > 0 else {
                    held = [try await gathered(daemon, Self.byOwner), try await gathered(daemon, Self.tellingOwner)]
                    for subscriber in held { await subscriber.close() }
                    return
                }
                for (place, request) in [Self.byOwner, Self.tellingOwner].enumerated() {
                    let (isFresh, now) = try await comeBack(held[place], daemon, request)
                    #expect(isFresh == (run == 2), "run \(run), question \(place)")
                    held[place] = now
                    await now.close()
                }
                #expect(held[0].items.count == (run == 2 ? 0 : 1))
                if run == 2 { #expect(owners(held[1]) == ["eva", "root"]) }
            }
        }
    }

    @Test func aSubscriberConnectedOverAReloadIsToldWhatTheNamesChanged() async throws {
        let directory = try TemporaryDirectory()
        let accounts = try Accounts()
        try makeFiles(in: directory)
        try await DaemonFixture.run(directory: directory, accounts: accounts.answers) { daemon in
            let hers = try await gathered(daemon, Self.byOwner)
            let others = try await gathered(
                daemon, QueryInterface.Watch.Request(predicate: "group == 'eva'", attributes: ["path", "group"]))
            let all = try await gathered(daemon, Self.tellingOwner)
            #expect(others.items.isEmpty)
            // Nothing has another name yet.
            try await reload(daemon)
            try accounts.rename()
            try await reload(daemon)
            while !hers.items.isEmpty { try await hers.next() }
            while others.items.isEmpty { try await others.next() }
            while owners(all) != ["eva", "root"] { try await all.next() }
            #expect(hers.lastCount == 0 && others.lastCount == 1 && all.lastCount == 2)
            // They go by the names of now, and their clocks do.
            try directory.write("", to: "tree/more")
            chown(daemon.tree + "/more", 41_001, 41_001)
            while others.items.count < 2 { try await others.next() }
            while owners(all) != ["eva", "eva", "root"] { try await all.next() }
            for (subscriber, request) in [(all, Self.tellingOwner)] {
                let (isFresh, now) = try await comeBack(subscriber, daemon, request)
                #expect(!isFresh && owners(now) == ["eva", "eva", "root"])
                await now.close()
            }
            #expect(hers.violations == [] && others.violations == [] && all.violations == [])
            for subscriber in [hers, others] { await subscriber.close() }
        }
    }

    // MARK: Files of accounts

    @Test func nextQuestionHasTheNamesOfNow() async throws {
        let directory = try TemporaryDirectory()
        let accounts = try Accounts(in: directory)
        try makeFiles(in: directory)
        try await DaemonFixture.run(directory: directory, accounts: accounts.answers) { daemon in
            let before = try await daemon.find("owner == 'ana' OR group == 'eva'")
            #expect(before == ["hers"])
            try accounts.rename()
            for (predicate, names) in [
                ("owner == 'ana'", []), ("owner == 'eva'", ["hers"]), ("group == 'eva'", ["hers"]),
            ] {
                let found = try await daemon.find(predicate)
                #expect(found == names, "\(predicate)")
            }
            let values = try await daemon.call(
                QueryInterface.Values.self, .init(predicate: "kind == 'file'", attribute: "owner"))
            #expect(Set(values.values.compactMap(\.text)) == ["eva", "root"])
            let sorted = try await daemon.call(
                QueryInterface.Find.self,
                .init(
                    predicate: "kind == 'file'", attributes: ["path"],
                    sort: [.init(attribute: "owner", ascending: true)]))
            #expect(sorted.items.compactMap(\.path).map { $0.split(separator: "/").last } == ["hers", "roots"])
        }
    }

    @Test func liveQueriesFollowTheFilesOfAccounts() async throws {
        let directory = try TemporaryDirectory()
        let accounts = try Accounts(in: directory)
        try makeFiles(in: directory)
        try await DaemonFixture.run(directory: directory, accounts: accounts.answers) { daemon in
            let hers = try await gathered(daemon, Self.byOwner)
            let others = try await gathered(
                daemon, QueryInterface.Watch.Request(predicate: "group == 'eva'", attributes: ["path", "group"]))
            let all = try await gathered(daemon, Self.tellingOwner)
            #expect(hers.items.count == 1 && others.items.isEmpty)
            try accounts.rename()
            while !hers.items.isEmpty { try await hers.next() }
            while others.items.isEmpty { try await others.next() }
            while owners(all) != ["eva", "root"] { try await all.next() }
            for subscriber in [hers, others, all] {
                #expect(subscriber.violations == [])
                await subscriber.close()
            }
        }
    }

    /// As after useradd(8) for files that were there before.
    @Test func newAccountOwnsTheFilesOfItsNumber() async throws {
        let directory = try TemporaryDirectory()
        try makeFiles(in: directory)
        try directory.write("root:x:0:\n", to: "accounts")
        let file = AccountFile(directory.path + "/accounts", isFollowed: true)
        var accounts = AccountDirectory(user: { file.name(of: $0) }, group: { file.name(of: $0) })
        (accounts.userFile, accounts.groupFile) = (directory.path + "/accounts", directory.path + "/accounts")
        try await DaemonFixture.run(directory: directory, accounts: accounts) { daemon in
            let none = try await daemon.find("owner == 'newcomer' OR group == 'newcomer'")
            let byNumber = try await daemon.find("owner == '41001'")
            #expect(none == [] && byNumber == ["hers"])
            let live = try await gathered(
                daemon, QueryInterface.Watch.Request(predicate: "owner == 'newcomer'", attributes: ["path"]))
            #expect(live.items.isEmpty)
            try directory.write("root:x:0:\nnewcomer:x:41001:\n", to: "accounts.new")
            #expect(Glibc.rename(directory.path + "/accounts.new", directory.path + "/accounts") == 0)
            let found = try await daemon.find("owner == 'newcomer'")
            #expect(found == ["hers"])
            while live.items.isEmpty { try await live.next() }
            await live.close()
        }
    }

    // MARK: Numbers of devices

    @Test func aQuestionAboutDevicesIsAskedAnewAfterARestart() async throws {
        let directory = try TemporaryDirectory()
        try makeFiles(in: directory)
        let onDevice = QueryInterface.Watch.Request(predicate: "device != 0", attributes: ["path"])
        var held: Subscriber?
        try await DaemonFixture.run(directory: directory) { daemon in
            let first = try await gathered(daemon, onDevice)
            #expect(first.items.count == 2)
            await first.close()
            let (isFresh, back) = try await comeBack(first, daemon, onDevice)
            #expect(!isFresh)
            await back.close()
            held = back
        }
        try await DaemonFixture.run(directory: directory) { daemon in
            let (isFresh, back) = try await comeBack(try #require(held), daemon, onDevice)
            #expect(isFresh && back.items.count == 2)
            await back.close()
        }
    }
}
