// The states of shared items as a helper tells them: live queries and answers beside a model, under changes of a real tree.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Logging
import Metadata
import TestSupport
import Testing
import Varlink

@testable import GatherService

struct SyncTests {
    private static let attributes = [
        "path", "isUbiquitous", "downloadingStatus", "isDownloading", "percentDownloaded", "downloadingError",
        "isUploaded", "isUploading", "percentUploaded", "uploadedTo", "uploadingError", "savingDevice",
    ]

    /// Starts a daemon whose container is shared.
    private static func run(
        isSystem: Bool = false, directory: TemporaryDirectory? = nil, log: LogRecorder? = nil,
        _ body: (DaemonFixture) async throws -> Void
    ) async throws {
        try await DaemonFixture.run(
            directory: directory, isSystem: isSystem, log: log,
            adjust: { options in for at in options.containers.indices { options.containers[at].sync = .syncthing } },
            body)
    }

    /// A helper that has begun to tell the states of the container.
    private final class Helper {
        private let client: VarlinkClient
        private var replies: VarlinkReplies.Iterator
        private(set) var session: Int64 = 0
        private let daemon: DaemonFixture

        init(_ daemon: DaemonFixture, as user: OtherUser? = nil) async throws {
            self.daemon = daemon
            client = try await daemon.client(as: user)
            let request = SyncInterface.Attach.Request(container: "tree")
            replies = client.callMore(SyncInterface.Attach.name, JSONBytes(request)).makeAsyncIterator()
            let reply = try #require(try await replies.next())
            session = try reply.decode(SyncInterface.Attach.Reply.self).session
        }

        /// The error that ends the session.
        func end() async -> VarlinkClientError? {
            do {
                while try await replies.next() != nil {}
                return nil
            } catch {
                return error
            }
        }

        func report(
            base: SyncStateMessage? = nil, _ items: [SyncItemMessage]? = nil, through: String? = nil
        ) async throws {
            _ = try await daemon.call(
                SyncInterface.Report.self, .init(session: session, base: base, items: items, through: through))
        }

        /// Reads the states that the daemon has, by path.
        func states() async throws -> (base: SyncStateMessage, items: [String: SyncItemMessage], parts: Int) {
            var items: [String: SyncItemMessage] = [:]
            var (from, parts): (Int64?, Int) = (nil, 0)
            while true {
                let reply = try await daemon.call(
                    SyncInterface.States.self, .init(session: session, from: from))
                parts += 1
                for item in reply.items { #expect(items.updateValue(item, forKey: item.path) == nil) }
                guard let next = reply.next else { return (reply.base, items, parts) }
                from = next
            }
        }

        func leave() async { await client.close() }
    }

    private static func items(_ daemon: DaemonFixture, _ predicate: String = "") async throws -> [Item] {
        try await daemon.call(
            QueryInterface.Find.self, .init(predicate: predicate, attributes: attributes)
        ).items
    }

    private static func exchange(_ one: String, _ other: String) -> CInt {
        typealias Rename = @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt
        // 2 is RENAME_EXCHANGE (renameat2(2)).
        return cFunction("renameat2", as: Rename.self)(AT_FDCWD, one, AT_FDCWD, other, 2)
    }

    private static func clock(_ daemon: DaemonFixture) async throws -> String {
        try await daemon.call(QueryInterface.Flush.self, .init()).clock
    }

    // MARK: One after the other

    @Test func statesAreUnknownWithoutAHelper() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/a")
        try await Self.run(directory: directory) { daemon in
            func known() async throws -> [Item] { try await Self.items(daemon, "isUbiquitous != nil") }
            #expect(try await known().isEmpty)
            let helper = try await Helper(daemon)
            #expect(try await known().isEmpty)
            let clock = try await Self.clock(daemon)
            try await helper.report(base: .init(uploadedTo: ["shelf"]), through: clock)
            let item = try #require(try await known().first)
            #expect(item.isUbiquitous == true && item.isUploaded == true && item.uploadedTo == ["shelf"])
            #expect(item.downloadingStatus == "current" && item.isDownloading == false && item.percentUploaded == 100)
            let watch = QueryInterface.Watch.Request(predicate: "isUploaded == TRUE", attributes: ["path"])
            let subscriber = try await Subscriber(daemon, watch)
            try await subscriber.gather()
            #expect(subscriber.items.count == 1)
            await helper.leave()
            try await subscriber.next()
            #expect(subscriber.items.isEmpty)
            #expect(try await known().isEmpty)
            await subscriber.close()
            // A container that is not shared.
            let other = directory.path + "/other"
            mkdir(other, 0o755)
            try directory.write("", to: "other/b")
            _ = try await daemon.call(ContainerInterface.Add.self, .init(identifier: "other", path: other))
            let found = try await Self.items(daemon, "isUbiquitous == FALSE")
            #expect(found.map(\.path) == [other + "/b"] && found.first?.isUploaded == nil)
        }
    }

    @Test func theStatesThatWereToldCanBeReadBack() async throws {
        let directory = try TemporaryDirectory()
        let names = (0..<2_500).map { "f\($0)" }
        for name in names { try directory.write("1", to: "tree/" + name) }
        try #require(mkfifo(directory.path + "/tree/pipe", 0o600) == 0)
        try await Self.run(directory: directory) { daemon in
            let helper = try await Helper(daemon)
            #expect(try await helper.states().items.isEmpty)
            let base = SyncStateMessage(
                shared: true, download: .current, downloading: false, uploading: false, uploadedTo: ["attic", "shelf"])
            try await helper.report(base: base, through: try await Self.clock(daemon))
            var generator = SeededGenerator(seed: 21)
            var told: [String: SyncItemMessage] = [:]
            for name in names where Bool.random(using: &generator) {
                var state = base
                state.download = [.current, .downloaded].randomElement(using: &generator)
                state.downloading = Bool.random(using: &generator)
                state.percentDownloaded = [nil, 0, 55, 100].randomElement(using: &generator) ?? nil
                state.uploadedTo = [[], ["attic"], ["attic", "shelf"]].randomElement(using: &generator)
                state.downloadingError = [nil, "no room"].randomElement(using: &generator) ?? nil
                state.savingDevice = [nil, "attic"].randomElement(using: &generator) ?? nil
                if Int.random(in: 0..<9, using: &generator) == 0 { state = SyncStateMessage(shared: false) }
                if state != base { told[name] = SyncItemMessage(path: name, state: state) }
            }
            var away = base
            away.download = .notDownloaded
            told["away"] = SyncItemMessage(path: "away", state: away, size: 12, modified: 1_700_000_000_123_456_789)
            let order = told.keys.sorted()
            for start in stride(from: 0, to: order.count, by: 400) {
                let part = order[start..<min(start + 400, order.count)].compactMap { told[$0] }
                try await helper.report(part)
            }
            var states = try await helper.states()
            #expect(states.base == base && states.items == told && states.parts == told.count / 1_000 + 1)
            // Items that are as all others have no state of their own. One that changed waits for a report.
            try directory.write("22", to: "tree/" + names[0])
            try await daemon.flush()
            told[names[0]] = nil
            for name in order.filter({ $0 != "away" }).suffix(100) {
                try await helper.report([.init(path: name)])
                told[name] = nil
            }
            states = try await helper.states()
            #expect(states.items == told)
            await helper.leave()
            await #expect(throws: VarlinkClientError.self) { try await helper.states() }
        }
    }

    @Test func aReportTellsHowManyItemsItChanged() async throws {
        let directory = try TemporaryDirectory()
        for name in ["a", "b"] { try directory.write("1", to: "tree/" + name) }
        try await Self.run(directory: directory) { daemon in
            let helper = try await Helper(daemon)
            try await helper.report(base: .init(uploadedTo: ["shelf"]), through: try await Self.clock(daemon))
            func changed(_ items: SyncItemMessage...) async throws -> Int64? {
                try await daemon.call(SyncInterface.Report.self, .init(session: helper.session, items: items)).changed
            }
            let (older, away) = (SyncStateMessage(download: .downloaded), SyncStateMessage(download: .notDownloaded))
            #expect(try await changed(.init(path: "a", state: older), .init(path: "none", state: older)) == 1)
            #expect(try await changed(.init(path: "a", state: older), .init(path: "b", state: older)) == 1)
            #expect(try await changed(.init(path: "c", state: away, size: 1)) == 1)
            #expect(try await changed(.init(path: "c", state: away, size: 1)) == 0)
            #expect(try await changed(.init(path: "c", state: away, size: 2)) == 1)
            #expect(try await changed(.init(path: "a"), .init(path: "b"), .init(path: "c")) == 3)
            #expect(try await changed(.init(path: "a"), .init(path: "b"), .init(path: "c")) == 0)
            await helper.leave()
        }
    }

    @Test func aChangedItemIsNotUploadedUntilAReportCoversTheChange() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("1", to: "tree/a")
        try directory.write("1", to: "tree/b")
        try await Self.run(directory: directory) { daemon in
            let helper = try await Helper(daemon)
            let first = try await Self.clock(daemon)
            try await helper.report(base: .init(uploadedTo: ["shelf"]), through: first)
            let subscriber = try await Subscriber(
                daemon, .init(predicate: "isUploaded == FALSE", attributes: ["path", "uploadedTo"]))
            try await subscriber.gather()
            #expect(subscriber.items.isEmpty)
            try directory.write("22", to: "tree/a")
            try await daemon.flush()
            try await subscriber.next()
            #expect(subscriber.items.values.sorted() == [daemon.tree + "/a"])
            // An older clock does not cover the change, nor does a state without a clock.
            try await helper.report([.init(path: "a", state: .init(uploadedTo: ["shelf"]))], through: first)
            try await helper.report([.init(path: "a", state: .init(uploadedTo: ["shelf"]))])
            #expect(try await Self.items(daemon, "isUploaded == FALSE").map(\.path) == [daemon.tree + "/a"])
            let second = try await Self.clock(daemon)
            try await helper.report(
                [.init(path: "b", state: .init(download: .downloaded, uploadedTo: [], savingDevice: "attic"))],
                through: second)
            while subscriber.items.values.sorted() != [daemon.tree + "/b"] { try await subscriber.next() }
            let b = try #require(try await Self.items(daemon, "downloadingStatus != 'current'").first)
            #expect(b.path == daemon.tree + "/b" && b.savingDevice == "attic" && b.isUploaded == false)
            try await helper.report([.init(path: "b")])
            try await subscriber.next()
            #expect(subscriber.items.isEmpty && subscriber.violations.isEmpty)
            await subscriber.close()
            await helper.leave()
        }
    }

    @Test func aSecondHelperTakesOver() async throws {
        try await Self.run { daemon in
            let first = try await Helper(daemon)
            let second = try await Helper(daemon)
            guard case .error(let error)? = await first.end() else {
                Issue.record("the first helper goes on")
                return
            }
            #expect(SyncError(error) == .superseded(identifier: "tree"))
            await #expect(throws: VarlinkClientError.self) { try await first.report(base: .init()) }
            try await second.report(base: .init())
            await first.leave()
            await second.leave()
        }
    }

    @Test func namesOfSyncthingAreNoItems() async throws {
        let directory = try TemporaryDirectory()
        let names = [
            ".stfolder/x", ".stignore", ".stversions/a", ".syncthing.a.tmp", "~syncthing~a.tmp", "sub/.stignore",
            ".gather-sync/saved-ABCDEFG",
        ]
        for name in names + ["a"] { try directory.write("", to: "tree/" + name) }
        try await Self.run(directory: directory) { daemon in
            #expect(try await daemon.find("") == ["a", "sub"])
            let before = try await Self.items(daemon, "name == 'a'").first?.id
            // A save as Syncthing and documents do it keeps the item.
            try directory.write("22", to: "tree/.syncthing.b.tmp")
            rename(daemon.tree + "/.syncthing.b.tmp", daemon.tree + "/a")
            #expect(try await Self.items(daemon, "size == 2").first?.id == before)
            try directory.write("333", to: "tree/.syncthing.gather-a.tmp")
            try #require(Self.exchange(daemon.tree + "/.syncthing.gather-a.tmp", daemon.tree + "/a") == 0)
            unlink(daemon.tree + "/.syncthing.gather-a.tmp")
            #expect(try await Self.items(daemon, "size == 3").first?.id == before)
            #expect(try await daemon.find("") == ["a", "sub"])
        }
    }

    /// Syncthing sends no names that are not UTF-8, nor what lies below them.
    @Test func namesThatAreNoTextAreNotShared() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "tree/a")
        func path(_ name: String, _ end: [UInt8] = []) -> [CChar] {
            ((directory.path + "/tree/" + name).utf8 + end + [0]).map { CChar(bitPattern: $0) }
        }
        func make(_ path: [CChar]) { close(open(path, O_CREAT | O_WRONLY, 0o644)) }
        mkdir(path("d", [0xFF]), 0o755)
        make(path("d", [0xFF] + Array("/inside".utf8)))
        try await Self.run(directory: directory) { daemon in
            let helper = try await Helper(daemon)
            func unshared() async throws -> Int { try await Self.items(daemon, "isUbiquitous == FALSE").count }
            try await helper.report(base: .init(uploadedTo: ["shelf"]), through: try await Self.clock(daemon))
            #expect(try await unshared() == 2)
            make(path("b", [0xFF]))
            #expect(try await unshared() == 3)
            rename(path("b", [0xFF]), path("b"))
            #expect(try await unshared() == 2)
            rename(path("d", [0xFF]), path("d"))
            #expect(try await unshared() == 0)
            #expect(try await daemon.find("isUploaded == FALSE") == ["b", "d", "d/inside"])
            try await helper.report(through: try await Self.clock(daemon))
            #expect(try await daemon.find("isUploaded == FALSE") == [])
            rename(path("d"), path("d", [0xFE]))
            #expect(try await unshared() == 2)
            try await helper.report(through: try await Self.clock(daemon))
            #expect(try await unshared() == 2)
            await helper.leave()
        }
    }

    @Test(.needsRoot("other users")) func strangersTellNothing() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        try await Self.run(isSystem: true, directory: directory) { daemon in
            chmod(daemon.socket, 0o666)
            let user = OtherUser(user: 41_001, group: 42_001)
            await #expect(throws: VarlinkClientError.self) { try await Helper(daemon, as: user) }
        }
    }

    /// The user of the helper hears of every change, also of those that it may not list itself.
    @Test(.needsRoot("other users")) func theUserOfTheHelperSeesEveryItem() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        try directory.write("", to: "tree/closed/a")
        chmod(directory.path + "/tree/closed", 0o700)
        try directory.write("sync-user = \"daemon\"\n", to: "gatherd.toml")
        try await Self.run(isSystem: true, directory: directory) { daemon in
            chmod(daemon.socket, 0o666)
            let account = try #require(getpwnam("daemon")).pointee
            let user = OtherUser(user: account.pw_uid, group: account.pw_gid)
            let request = QueryInterface.Find.Request(predicate: "", attributes: ["name"])
            let seen = try await daemon.call(QueryInterface.Find.self, request, as: user)
            #expect(Set(seen.items.compactMap(\.name)) == ["closed", "a"])
            let helper = try await Helper(daemon, as: user)
            #expect(helper.session > 0)
            await #expect(throws: VarlinkClientError.self) {
                _ = try await daemon.call(ContainerInterface.Remove.self, .init(identifier: "tree"), as: user)
            }
            await helper.leave()
        }
    }

    @Test func aContainerIsSharedAndNoLonger() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "other/.stfolder/x")
        try await DaemonFixture.run(directory: directory) { daemon in
            func share(_ sync: String?, _ identifier: String = "other") async throws -> ContainerDescription {
                try await daemon.call(ContainerInterface.Share.self, .init(identifier: identifier, sync: sync))
                    .container
            }
            _ = try await daemon.call(
                ContainerInterface.Add.self, .init(identifier: "other", path: directory.path + "/other"))
            #expect(try await Self.items(daemon).count == 2)
            #expect(try await share("syncthing").sync == "syncthing")
            #expect(try await Self.items(daemon).isEmpty)
            #expect(try await share(nil).sync == nil)
            #expect(try await Self.items(daemon).count == 2)
            for (sync, identifier) in [("dropbox", "other"), ("syncthing", "tree"), ("syncthing", "none")] {
                await #expect(throws: VarlinkClientError.self) { _ = try await share(sync, identifier) }
            }
            _ = try await share("syncthing")
        }
        // It is kept.
        try await DaemonFixture.run(directory: directory) { daemon in
            let list = try await daemon.call(ContainerInterface.List.self, .init()).containers
            #expect(list.first { $0.identifier == "other" }?.sync == "syncthing")
            #expect(try await Self.items(daemon).isEmpty)
        }
    }

    /// No item leaves a result and comes back, and nothing is read again.
    @Test func itemsStayWhenTheirContainerIsShared() async throws {
        let directory = try TemporaryDirectory()
        for name in ["a", "d/b", "d/c"] { try directory.write(name, to: "other/" + name) }
        let log = LogRecorder(.info)
        try await DaemonFixture.run(directory: directory, log: log) { daemon in
            _ = try await daemon.call(
                ContainerInterface.Add.self, .init(identifier: "other", path: directory.path + "/other"))
            let subscriber = try await Subscriber(
                daemon, .init(predicate: "kind == 'file'", attributes: ["path", "isUbiquitous"]))
            try await subscriber.gather()
            let identifiers = Set(subscriber.items.keys)
            #expect(identifiers.count == 3)
            func share(_ sync: String?) async throws {
                let request = ContainerInterface.Share.Request(identifier: "other", sync: sync)
                let reply = try await daemon.call(ContainerInterface.Share.self, request)
                #expect(reply.container.sync == sync && reply.container.state == .live)
            }
            func states() -> Set<Bool?> { Set(subscriber.values.values.map(\.isUbiquitous)) }
            #expect(states() == [false])
            let archived = "path CONTAINS '/.stversions/'"
            for round in 0..<2 {
                try await share("syncthing")
                // Syncthing's own files leave, and new ones are no items.
                while states() != [nil] || subscriber.items.count > 3 { try await subscriber.next() }
                #expect(try await Self.items(daemon, archived).isEmpty)
                try directory.write("", to: "other/d/.syncthing.x.tmp")
                #expect(try await Self.items(daemon, "kind == 'file'").count == 3)
                #expect(Set(subscriber.items.keys) == identifiers)
                try await share(nil)
                #expect(try await Self.items(daemon, "kind == 'file'").count == 4)
                while subscriber.items.count < 4 || states() != [false] { try await subscriber.next() }
                try directory.write("", to: "other/.stversions/d/\(round)")
                #expect(try await Self.items(daemon, archived).count == 2 + round)
            }
            #expect(subscriber.violations.isEmpty, "\(subscriber.violations)")
            try await share("syncthing")
        }
        #expect(log.all.filter { $0.contains("no longer watched") }.isEmpty, "\(log.all)")
        #expect(log.all.filter { $0.contains("'other'") && $0.contains("being read") }.count == 1, "\(log.all)")
        // The saved index is used.
        let next = LogRecorder(.info)
        try await DaemonFixture.run(directory: directory, log: next) { daemon in
            let list = try await daemon.call(ContainerInterface.List.self, .init()).containers
            #expect(list.first { $0.identifier == "other" }?.sync == "syncthing")
            #expect(try await Self.items(daemon, "isUbiquitous == nil AND kind == 'file'").count == 3)
        }
    }

    // MARK: Items that are not here

    @Test func anEvictedFileStaysAnItemAndComesBack() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("12345", to: "tree/d/a")
        try directory.write("1", to: "tree/d/b")
        var identifier: String?
        try await Self.run(directory: directory) { daemon in
            let helper = try await Helper(daemon)
            try await helper.report(base: .init(uploadedTo: ["shelf"]), through: try await Self.clock(daemon))
            identifier = try await Self.items(daemon, "name == 'a'").first?.id
            let subscriber = try await Subscriber(
                daemon, .init(predicate: "name == 'a'", attributes: ["path", "size", "downloadingStatus"]))
            try await subscriber.gather()
            let absent = SyncStateMessage(download: .notDownloaded, uploadedTo: ["shelf"])
            try await helper.report([.init(path: "d/a", state: .init(uploadedTo: ["shelf"]), leaving: true)])
            unlink(daemon.tree + "/d/a")
            try await daemon.flush()
            var reply = try await subscriber.next()
            #expect(reply.changed?.first?.downloadingStatus == "notDownloaded" && reply.changed?.first?.size == 5)
            #expect((reply.removed ?? []).isEmpty && (reply.added ?? []).isEmpty)
            // A comparison of the directory leaves it alone, as does a change beside it.
            _ = try await daemon.call(ContainerInterface.Rescan.self, .init(identifier: "tree"))
            try directory.write("2", to: "tree/d/c")
            #expect(try await daemon.find("") == ["d", "d/a", "d/b", "d/c"])
            #expect(try await daemon.find("downloadingStatus == 'notDownloaded'") == ["d/a"])
            // It follows the others.
            try await helper.report([.init(path: "d/a", state: absent, size: 9, modified: 1_000_000_000)])
            reply = try await subscriber.next()
            #expect(reply.changed?.first?.size == 9)
            // It comes back, with its identity.
            try directory.write("123456789", to: "tree/d/.syncthing.a.tmp")
            rename(daemon.tree + "/d/.syncthing.a.tmp", daemon.tree + "/d/a")
            try await daemon.flush()
            reply = try await subscriber.next()
            #expect(reply.changed?.first?.id == identifier && reply.changed?.first?.downloadingStatus == "current")
            #expect(subscriber.violations.isEmpty && subscriber.items.count == 1)
            // A file that is removed for another reason is gone.
            unlink(daemon.tree + "/d/a")
            try await daemon.flush()
            try await subscriber.next()
            #expect(subscriber.items.isEmpty)
            await subscriber.close()
            // Items that come, and one that no device has any more.
            try await helper.report([
                .init(path: "new", state: absent, size: 3, modified: 0), .init(path: "d/e", state: absent, size: 4),
                .init(path: "none/e", state: absent, size: 4), .init(path: "d/b", state: absent, size: 4),
            ])
            #expect(try await daemon.find("") == ["d", "d/b", "d/c", "d/e", "new"])
            #expect(try await daemon.find("size == 4") == ["d/e"])
            try await helper.report([.init(path: "d/e")])
            #expect(try await daemon.find("size == 4") == [])
            await helper.leave()
            #expect(try await daemon.find("") == ["d", "d/b", "d/c", "new"])
        }
        // They are there after a restart, until a helper does not tell them.
        try await Self.run(directory: directory) { daemon in
            #expect(try await daemon.find("") == ["d", "d/b", "d/c", "new"])
            let helper = try await Helper(daemon)
            try await helper.report(base: .init(uploadedTo: ["shelf"]))
            #expect(try await daemon.find("") == ["d", "d/b", "d/c", "new"])
            try await helper.report([], through: try await Self.clock(daemon))
            #expect(try await daemon.find("") == ["d", "d/b", "d/c"])
            // A directory takes those inside with it.
            let absent = SyncStateMessage(download: .notDownloaded)
            try await helper.report([.init(path: "d/x", state: absent, size: 3)])
            rename(daemon.tree + "/d", daemon.tree + "/e")
            #expect(try await daemon.find("") == ["e", "e/b", "e/c", "e/x"])
            for name in ["b", "c"] { unlink(daemon.tree + "/e/" + name) }
            rmdir(daemon.tree + "/e")
            #expect(try await daemon.find("") == [])
            await helper.leave()
        }
    }

    // MARK: Beside a model

    /// An item as a walk finds it.
    private struct Entry: Equatable {
        var path: String
        var inode: UInt64
        var kind: UInt32
        var size: Int64
        var modified: Int64

        /// Whether another device would have to fetch it anew.
        func differs(from other: Entry) -> Bool {
            if inode != other.inode || kind != other.kind
                || path.split(separator: "/").last != other.path.split(separator: "/").last
            {
                return true
            }
            return kind != S_IFDIR && (size != other.size || modified != other.modified)
        }
    }

    private static func lstatOf(_ path: String) -> Entry? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return Entry(
            path: path, inode: UInt64(status.st_ino), kind: status.st_mode & S_IFMT, size: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
    }

    /// The states by the helper's reports alone.
    private struct Model {
        var base: SyncStateMessage?
        var told: [String: SyncStateMessage] = [:]
        /// Items that changed since the last report that covered them.
        var changed: Set<String> = []
        var entries: [String: (entry: Entry, parent: String?)] = [:]

        /// Takes what the tree has come to be, by the identity of items.
        mutating func take(_ now: [String: (entry: Entry, parent: String?)]) {
            for (id, (entry, parent)) in now {
                if let old = entries[id], !entry.differs(from: old.entry), old.parent == parent { continue }
                changed.insert(id)
                told[id] = nil
            }
            for id in entries.keys where now[id] == nil {
                changed.remove(id)
                told[id] = nil
            }
            entries = now
        }

        private static func afterChange(_ state: SyncStateMessage?) -> SyncStateMessage? {
            guard var state, state.shared != false else { return state }
            state.uploadedTo = []
            (state.uploading, state.percentUploaded, state.uploadingError) = (nil, nil, nil)
            return state
        }

        /// Sets the state of all items. A state that is no different from it was none of its own.
        mutating func set(base: SyncStateMessage) {
            for (id, state) in told
            where changed.contains(id)
                && SyncTests.words(Self.afterChange(state)) == SyncTests.words(Self.afterChange(self.base))
            {
                told[id] = nil
            }
            self.base = base
            forgetSame()
        }

        mutating func forgetSame() {
            for (id, state) in told {
                let shown = changed.contains(id) ? Self.afterChange(state) : state
                if SyncTests.words(shown) == SyncTests.words(base) { told[id] = nil }
            }
        }

        /// The state of an item; nil where it is unknown.
        func state(_ id: String) -> SyncStateMessage? {
            guard let entry = entries[id]?.entry else { return nil }
            guard [S_IFREG, S_IFDIR, S_IFLNK].contains(entry.kind) else { return SyncStateMessage(shared: false) }
            let state = told[id] ?? base
            return changed.contains(id) ? Self.afterChange(state) : state
        }
    }

    fileprivate static func words(_ state: SyncStateMessage?) -> [String] {
        guard let state else { return ["unknown"] }
        if state.shared == false { return ["not shared"] }
        let uploaded = !(state.uploadedTo ?? []).isEmpty
        let download = state.download ?? .current
        let isHere = download == .current && state.downloading != true
        return [
            download.rawValue, "\(state.downloading ?? false)", "\(state.uploading ?? false)", "\(uploaded)",
            "\(state.percentDownloaded ?? (isHere ? 100 : 0))",
            "\(state.percentUploaded ?? (uploaded && state.uploading != true ? 100 : 0))",
            (state.uploadedTo ?? []).joined(separator: ","),
            state.downloadingError ?? "-", state.uploadingError ?? "-", state.savingDevice ?? "-",
        ]
    }

    private static func words(_ item: Item) -> [String] {
        guard let isUbiquitous = item.isUbiquitous else { return ["unknown"] }
        guard isUbiquitous else { return ["not shared"] }
        return [
            item.downloadingStatus ?? "", "\(item.isDownloading ?? false)", "\(item.isUploading ?? false)",
            "\(item.isUploaded ?? false)", "\(item.percentDownloaded ?? -1)", "\(item.percentUploaded ?? -1)",
            (item.uploadedTo ?? []).joined(separator: ","), item.downloadingError ?? "-", item.uploadingError ?? "-",
            item.savingDevice ?? "-",
        ]
    }

    private static func randomState(_ random: inout SeededGenerator) -> SyncStateMessage {
        if Int.random(in: 0..<8, using: &random) == 0 { return SyncStateMessage(shared: false) }
        return SyncStateMessage(
            download: [nil, .current, .downloaded, .notDownloaded].randomElement(using: &random) ?? nil,
            downloading: Bool.random(using: &random) ? true : nil,
            percentDownloaded: Bool.random(using: &random) ? 40 : nil,
            downloadingError: Bool.random(using: &random) ? "full" : nil,
            uploading: Bool.random(using: &random) ? true : nil,
            percentUploaded: Bool.random(using: &random) ? 60 : nil,
            uploadedTo: [nil, [], ["a"], ["a", "b"]].randomElement(using: &random) ?? nil,
            uploadingError: Bool.random(using: &random) ? "no" : nil,
            savingDevice: Bool.random(using: &random) ? "attic" : nil)
    }

    private static func change(_ top: String, _ random: inout SeededGenerator, _ step: inout Int) {
        let names = ["a", "b", "c", "d/a", "d/b", "d/e/a", "f/a", "f/b"]
        let path = top + "/" + (names.randomElement(using: &random) ?? "a")
        let other = top + "/" + (names.randomElement(using: &random) ?? "b")
        step += 1
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4:
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0o644)
            if file >= 0 {
                _ = String(repeating: "x", count: step).withCString { write(file, $0, strlen($0)) }
                close(file)
            }
        case 4..<6: rename(path, other)
        case 6: unlink(path)
        case 7: chmod(path, Bool.random(using: &random) ? 0o600 : 0o644)
        case 8: rename(top + "/d", top + "/f")
        case 9:
            for directory in ["d", "d/e", "f"] { mkdir(top + "/" + directory, 0o755) }
        case 10: mkfifo(path, 0o644)
        default: symlink("a", path)
        }
    }

    @Test(arguments: TestLength.part(of: UInt64(1)...24, oneIn: 3)) func statesEqualAModel(seed: UInt64) async throws {
        print("SyncTests: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var step = 0
        let directory = try TemporaryDirectory()
        for name in ["tree", "tree/d", "tree/d/e", "tree/f"] { try directory.makeDirectory(name) }
        let watches = [
            "isUploaded == FALSE", "downloadingStatus != 'current'", "isUbiquitous == FALSE",
            "'a' IN uploadedTo AND name == 'a'", "isUbiquitous == nil",
        ].map { "(\($0)) OR name BEGINSWITH 'round'" }
        try await Self.run(directory: directory) { daemon in
            for _ in 0..<20 { Self.change(daemon.tree, &random, &step) }
            var helper = try await Helper(daemon)
            var model = Model()
            var subscribers: [Subscriber] = []
            for predicate in watches {
                let subscriber = try await Subscriber(
                    daemon, .init(predicate: predicate, attributes: Self.attributes, batch: 600_000))
                try await subscriber.gather()
                subscribers.append(subscriber)
            }
            /// The tree by the identity of items.
            func walk() async throws -> [String: (entry: Entry, parent: String?)] {
                let reply = try await daemon.call(
                    QueryInterface.Find.self, .init(predicate: "", attributes: ["path", "parent"]))
                var found: [String: (entry: Entry, parent: String?)] = [:]
                for item in reply.items {
                    if let entry = Self.lstatOf(item.path ?? "") { found[item.id] = (entry, item.parent) }
                }
                return found
            }
            // Nothing has changed since the helper came.
            model.entries = try await walk()
            for round in 0..<30 {
                for _ in 0..<Int.random(in: 0..<8, using: &random) { Self.change(daemon.tree, &random, &step) }
                let clock = try await Self.clock(daemon)
                model.take(try await walk())
                switch Int.random(in: 0..<10, using: &random) {
                case 0:
                    await helper.leave()
                    helper = try await Helper(daemon)
                    (model.base, model.told, model.changed) = (nil, [:], [])
                case 1..<4:
                    var base = Self.randomState(&random)
                    if base.shared == false { base = SyncStateMessage(uploadedTo: ["a"]) }
                    model.set(base: base)
                    try await helper.report(base: base)
                case 4..<9:
                    let isCovering = Bool.random(using: &random)
                    var items: [SyncItemMessage] = []
                    if isCovering {
                        for id in model.changed { model.told[id] = nil }
                        model.changed = []
                    }
                    for (id, entry) in model.entries.sorted(by: { $0.value.entry.path < $1.value.entry.path })
                    where Int.random(in: 0..<3, using: &random) == 0 {
                        let state = Int.random(in: 0..<4, using: &random) == 0 ? nil : Self.randomState(&random)
                        model.told[id] = state ?? model.base
                        items.append(
                            .init(path: String(entry.entry.path.dropFirst(daemon.tree.count + 1)), state: state))
                    }
                    items.append(.init(path: "not/there", state: .init()))
                    model.forgetSame()
                    try await helper.report(items, through: isCovering ? clock : nil)
                default: break
                }
                try await daemon.flush()
                // This comes last to each subscriber.
                let mark = daemon.tree + "/round\(round)"
                mkfifo(mark, 0o644)
                try await daemon.flush()
                model.take(try await walk())
                let found = try await Self.items(daemon)
                for item in found {
                    let expected = Self.words(model.state(item.id))
                    #expect(Self.words(item) == expected, "seed \(seed), round \(round): \(item.path ?? "")")
                }
                for (subscriber, predicate) in zip(subscribers, watches) {
                    let now = Dictionary(
                        uniqueKeysWithValues: try await Self.items(daemon, predicate).map { ($0.id, Self.words($0)) })
                    while !subscriber.items.values.contains(mark) { try await subscriber.next() }
                    #expect(
                        subscriber.values.mapValues { Self.words($0) } == now,
                        "seed \(seed), round \(round): \(predicate)")
                    #expect(subscriber.violations.isEmpty, "seed \(seed), round \(round): \(predicate)")
                }
            }
            for subscriber in subscribers { await subscriber.close() }
            await helper.leave()
        }
    }
}
