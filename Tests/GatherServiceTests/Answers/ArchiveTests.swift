// Items below `.gather` and `.stversions` are in no answer that does not name these.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Testing

@testable import GatherService

struct ArchiveTests {
    private static let copy = "Item_1.sync-conflict-20261125-120509-ABCDEFG"
    private static let archived = [
        ".gather/trash/now/Item_1", ".gather/trash/now/\(copy)", ".stversions/Item_1", ".stversions/\(copy)",
        "nested/.gather/trash/Item_1",
    ]

    private func fill(_ daemon: DaemonFixture) throws {
        for name in ["Item_1", "nested/Item_2"] + Self.archived { try daemon.directory.write("1", to: "tree/" + name) }
    }

    @Test func itemsInArchivesAreInNoAnswer() async throws {
        try await DaemonFixture.run { daemon in
            try fill(daemon)
            #expect(try await daemon.find("name LIKE 'Item_*'") == ["Item_1", "nested/Item_2"])
            #expect(try await daemon.find("kind == 'file'", scopes: ["tree/Data"]) == ["Item_1", "nested/Item_2"])
            for predicate in [
                "hasUnresolvedConflicts == TRUE", "conflictVersions > 0", "isConflictVersion == TRUE",
                "conflictOf != nil", "hasUnresolvedConflicts == TRUE AND inPackage IN {TRUE, FALSE}",
            ] { #expect(try await daemon.find(predicate).isEmpty, "\(predicate)") }
            let count = try await daemon.call(QueryInterface.Count.self, .init(predicate: "kind == 'file'"))
            #expect(count.count == 2)
            let values = try await daemon.call(
                QueryInterface.Values.self, .init(predicate: "kind == 'file'", attribute: "name"))
            #expect(values.values.map(\.count) == [1, 1])
        }
    }

    @Test func aQueryThatNamesAnArchiveFindsItsItems() async throws {
        try await DaemonFixture.run { daemon in
            try fill(daemon)
            let trash = Self.archived.filter { $0.hasPrefix(".gather/") }
            for scope in ["/.gather", "/.gather/trash", "/.gather/trash/now"] {
                #expect(try await daemon.find("kind == 'file'", scopes: [daemon.tree + scope]) == trash.sorted())
            }
            #expect(
                try await daemon.find("path CONTAINS '/.gather/' AND kind == 'file'")
                    == Self.archived.filter { $0.contains(".gather/") }.sorted())
            #expect(try await daemon.find("path BEGINSWITH '\(daemon.tree)/.stversions/I'").count == 2)
            #expect(try await daemon.find("kind == 'file' AND NOT path CONTAINS '/.gather/'").count == 2)
            // Wherever it is looked for, a file there is no version in conflict.
            #expect(
                try await daemon.find("isConflictVersion == TRUE", scopes: [daemon.tree + "/.stversions"]).isEmpty)
            #expect(
                try await daemon.find("hasUnresolvedConflicts == TRUE", scopes: [daemon.tree + "/.gather"]).isEmpty)
            let item = try await daemon.call(
                QueryInterface.Find.self, .init(predicate: "name == 'Item_1'", scopes: [daemon.tree + "/.gather"]))
            let id = try #require(item.items.first?.id)
            #expect(try await daemon.find("id == '\(id)'") == [".gather/trash/now/Item_1"])
        }
    }

    /// All items leave at once then, and those in archives were in no answer.
    @Test func aContainerThatIsAwayTakesNoItemsOfArchivesAlong() async throws {
        let directory = try TemporaryDirectory()
        var since: String?
        try await DaemonFixture.run(directory: directory) { daemon in
            try fill(daemon)
            let subscriber = try await Subscriber(daemon, .init(predicate: "name LIKE 'Item_*'"))
            try await subscriber.gather()
            #expect(subscriber.items.count == 2)
            for _ in 0..<2 {
                #expect(rename(daemon.tree, daemon.tree + ".away") == 0)
                while subscriber.items.count > 0 { try await subscriber.next() }
                #expect(subscriber.lastCount == 0)
                #expect(rename(daemon.tree + ".away", daemon.tree) == 0)
                while subscriber.items.count < 2 { try await subscriber.next() }
                #expect(subscriber.lastCount == 2)
            }
            #expect(subscriber.violations.isEmpty, "\(subscriber.violations)")
            since = subscriber.lastClock
            await subscriber.close()
            // The archives are gone, and a client of before comes back after a restart.
            #expect(rename(daemon.tree + "/.gather", directory.path + "/gather") == 0)
            try await daemon.flush()
        }
        try await DaemonFixture.run(directory: directory) { daemon in
            let subscriber = try await Subscriber(daemon, .init(predicate: "name LIKE 'Item_*'", since: since))
            try await subscriber.gather()
            #expect(subscriber.items.isEmpty && subscriber.violations.isEmpty, "\(subscriber.violations)")
            #expect(subscriber.lastCount == 2)
            await subscriber.close()
        }
    }

    /// Each form of text that has the name of an archive names that one alone.
    @Test func aPathNamesTheArchiveOfWhichItHasTheName() async throws {
        try await DaemonFixture.run { daemon in
            try fill(daemon)
            let files = ["Item_1", "nested/Item_2"]
            let (trash, versions) = (Self.archived.filter { $0.contains(".gather/") }, Array(Self.archived[2...3]))
            for (predicate, found) in [
                ("name LIKE 'Item_*' OR path CONTAINS '/.stversions/'", files + versions),
                ("name LIKE 'Item_*' AND path CONTAINS '/.gather/trash/'", trash),
                (#"path MATCHES '.*/\\.gather/.*' AND kind == 'file'"#, trash),
                ("path MATCHES '.*/[.]gather/.*' AND kind == 'file'", trash),
                ("path MATCHES '.*/.stversions/.*'", versions),
                ("path LIKE '\(daemon.tree)/.gather*' AND kind == 'file'", Array(Self.archived[0...1])),
                ("path LIKE '*/.stversions*' AND kind == 'file'", versions),
                ("path CONTAINS[c] '/.GATHER/' AND kind == 'file'", trash),
                (#"path MATCHES '.*/(\\.gather|\\.stversions)/.*' AND kind == 'file'"#, Self.archived),
                ("name LIKE 'Item_*' AND (size > 0 OR path CONTAINS '/.gath')", files),
                ("name LIKE 'Item_*' AND path LIKE '*'", files),
            ] { #expect(try await daemon.find(predicate) == found.sorted(), "\(predicate)") }
            let items = try await daemon.call(
                QueryInterface.Find.self, .init(predicate: "kind == 'file'", scopes: [daemon.tree + "/.gather"]))
            let ids = items.items.compactMap(\.id).map { "'\($0)'" }
            #expect(ids.count == 2)
            #expect(
                try await daemon.find("id IN {\(ids.joined(separator: ", "))}") == Self.archived[0...1].sorted())
            #expect(try await daemon.find("id IN {\(ids[0])} AND kind == 'directory'").isEmpty)
        }
    }

    /// The path of the container itself names no archive.
    @Test func aContainerMayLieBelowADirectoryWithTheNameOfAnArchive() async throws {
        let directory = try TemporaryDirectory()
        let box = "tree/.gather/grocery"
        for name in ["Item_1", ".gather/trash/Item_2", ".stversions/Item_3", Self.copy] {
            try directory.write("1", to: box + "/" + name)
        }
        let root = directory.path + "/" + box
        try await DaemonFixture.run(containers: ["grocery": root], directory: directory) { daemon in
            for (predicate, found) in [
                ("name LIKE 'Item_?'", ["Item_1"]),
                ("path BEGINSWITH '\(root)/' AND kind == 'file'", ["Item_1", Self.copy]),
                ("path LIKE '\(root)/*' AND name LIKE 'Item_?'", ["Item_1"]),
                ("path CONTAINS '/.gather/grocery/I'", ["Item_1", Self.copy]),
                ("path CONTAINS '/.gather/trash/'", [".gather/trash/Item_2"]),
                ("path BEGINSWITH '\(root)/.stversions/'", [".stversions/Item_3"]),
                ("isConflictVersion == TRUE", [Self.copy]),
            ] {
                let items = try await daemon.find(predicate)
                #expect(items == found.map { ".gather/grocery/" + $0 }.sorted(), "\(predicate)")
            }
        }
    }

    @Test func aFileThatIsMovedToTheTrashLeavesALiveAnswer() async throws {
        try await DaemonFixture.run { daemon in
            for name in ["Item_1", "nested/Item_2", ".gather/trash/x"] {
                try daemon.directory.write("1", to: "tree/" + name)
            }
            let subscriber = try await Subscriber(daemon, .init(predicate: "name LIKE 'Item_*'"))
            try await subscriber.gather()
            #expect(subscriber.items.count == 2)
            #expect(rename(daemon.tree + "/Item_1", daemon.tree + "/.gather/trash/Item_1") == 0)
            while subscriber.items.count > 1 { try await subscriber.next() }
            #expect(rename(daemon.tree + "/nested", daemon.tree + "/.gather/trash/nested") == 0)
            while subscriber.items.count > 0 { try await subscriber.next() }
            #expect(rename(daemon.tree + "/.gather", daemon.tree + "/kept") == 0)
            while subscriber.items.count < 2 { try await subscriber.next() }
            #expect(
                Set(subscriber.items.values) == [
                    daemon.tree + "/kept/trash/Item_1", daemon.tree + "/kept/trash/nested/Item_2",
                ])
            #expect(rename(daemon.tree + "/kept", daemon.tree + "/.stversions") == 0)
            while subscriber.items.count > 0 { try await subscriber.next() }
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()
        }
    }
}
