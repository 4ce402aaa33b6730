// Versions in conflict of machines that were apart: none is lost, and each has the right author.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: SyncMachine.isInstalled, "syncthing is not installed"))
struct ClaimTests {
    private static func text(_ machine: SyncMachine, _ name: String) -> String? {
        try? String(contentsOfFile: machine.box + "/" + name, encoding: .utf8)
    }

    /// The device of a version in conflict; nil without one.
    private static func author(_ machine: SyncMachine, _ name: String) -> String? {
        FileVersion.author(of: FilePath(machine.box + "/" + name))?.description
    }

    /// The names of the versions of a document, and their texts.
    private static func versions(_ machine: SyncMachine, of stem: String) -> [String: String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: machine.box)) ?? []
        let own = names.filter { $0 == stem + ".txt" || $0.hasPrefix(stem + ".sync-conflict-") }
        return Dictionary(uniqueKeysWithValues: own.compactMap { name in text(machine, name).map { (name, $0) } })
    }

    private static func list(_ machine: SyncMachine, of device: SyncMachine) -> String {
        text(machine, ".gather-sync/saved-\(device.device.prefix(7))") ?? ""
    }

    /// Waits for a state of files and attributes, of which no program tells.
    private static func until(_ what: String, _ isSo: () async throws -> Bool) async throws {
        let patience = Patience()
        while try await !isSo() {
            try #require(!patience.isOver, "never: \(what)")
            await Task.yield()
        }
    }

    private static func connect(_ machines: [SyncMachine], _ isOn: Bool) async throws {
        for (index, machine) in machines.enumerated() {
            for other in machines[(index + 1)...] {
                try await machine.rest("POST", "/rest/system/\(isOn ? "resume" : "pause")?device=\(other.device)")
            }
        }
    }

    private static func three() async throws -> [SyncMachine] {
        async let a = SyncMachine("A")
        async let b = SyncMachine("B")
        async let c = SyncMachine("C")
        let machines = try await [a, b, c]
        for machine in machines { try await machine.share(with: machines.filter { $0 !== machine }) }
        return machines
    }

    /// Has each machine save its own version of each document while it is apart from the others.
    private static func editApart(_ machines: [SyncMachine], _ stems: [String], apart: () async throws -> Void)
        async throws
    {
        for stem in stems { try machines[0].save(stem + ".txt", "base") }
        let names = Set(stems.map { $0 + ".txt" })
        for machine in machines {
            try await machine.until("name LIKE '*.txt' AND downloadingStatus == 'current'", names)
        }
        try await connect(machines, false)
        // Another one is the last each time, and so the winner.
        for (number, stem) in stems.enumerated() {
            for index in machines.indices {
                let machine = machines[(index + number) % machines.count]
                try machine.save(stem + ".txt", "\(stem) of \(machine.name)")
            }
        }
        for machine in machines {
            for other in machines where other !== machine {
                try await until("\(machine.name) has scanned its files") {
                    try await machine.lacking(other).isSuperset(of: names)
                }
            }
        }
        try await apart()
        try await connect(machines, true)
    }

    @Test func threeMachinesThatEditOneFileApartKeepAllVersionsAndTheirAuthors() async throws {
        let machines = try await Self.three()
        let stems = (0..<6).map { "letter\($0)" }
        try await Self.editApart(machines, stems) {}
        for machine in machines {
            for stem in stems {
                let expected = Set(machines.map { "\(stem) of \($0.name)" })
                try await Self.until("\(machine.name) has all of \(stem)") {
                    Set(Self.versions(machine, of: stem).values) == expected
                }
                try await Self.until("\(machine.name) knows who wrote \(stem)") {
                    Self.versions(machine, of: stem).allSatisfy { name, text in
                        name == stem + ".txt"
                            || Self.author(machine, name)
                                == machines.first { text.hasSuffix(" of " + $0.name) }.map {
                                    "\($0.device.prefix(7)) \($0.name)"
                                }
                    }
                }
            }
        }
        // Gatherd has no items of the lists.
        #expect(try await machines[0].paths("path CONTAINS '.gather-sync'").isEmpty)
    }

    /// Nothing is guessed, and no device waits.
    @Test func theAuthorOfAVersionIsUnknownIfNoListTells() async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        try await b.until("name == 'first' AND isUploaded == TRUE", ["first"])
        try await Self.connect([a, b], false)
        // Without a helper, Syncthing still finds what is saved.
        try await b.end("gather-syncd")
        try b.save("first", "of B")
        // The older version loses.
        let old = timespec(tv_sec: 981_173_106, tv_nsec: 0)
        try #require(utimensat(AT_FDCWD, b.box + "/first", [old, old], 0) == 0)
        try await b.rest("POST", "/rest/db/scan?folder=gather-box&sub=first")
        try a.save("first", "of A")
        try await Self.until("A has scanned it") { try await a.lacking(b).contains("first") }
        try await Self.connect([a, b], true)
        try await Self.until("A has both versions") { Set(Self.versions(a, of: "first").values) == ["of B"] }
        let copy = try #require(Self.versions(a, of: "first").keys.first)
        try a.save("later", "x")
        try await Self.until("A has listed both saves") { Self.list(a, of: a).split(separator: "\n").count == 3 }
        #expect(Self.author(a, copy) == nil)
        let version = try await a.client.find("isConflictVersion == TRUE", attributes: [.path]).items
        #expect(version.count == 1, "\(version)")
    }

    /// A program of this machine made it, and so it is no copy of a version that was there before.
    @Test func versionThatAProgramMadeHasItsAuthorElsewhere() async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        try FileVersion.add(Array("of a program".utf8), to: FilePath(a.box + "/first"))
        try await Self.until("B has both versions") { Set(Self.versions(b, of: "first").values) == ["of a program"] }
        let carriesTags = try await b.carriesTags
        try await Self.until("B knows who made it") {
            let author = Self.versions(b, of: "first").keys.first.flatMap { Self.author(b, $0) }
            return carriesTags ? author != nil : author == "\(a.device.prefix(7)) A"
        }
    }

    @Test func administratorMayLeaveTheNamesOfVersionsAlone() async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        for machine in [a, b] {
            try await machine.end("gather-syncd")
            try await machine.startHelper(["--no-claims"])
            try await machine.until("name == 'first' AND isUploaded == TRUE", ["first"])
        }
        try await Self.connect([a, b], false)
        try b.save("first", "of B")
        // The older version loses.
        let old = timespec(tv_sec: 981_173_106, tv_nsec: 0)
        try #require(utimensat(AT_FDCWD, b.box + "/first", [old, old], 0) == 0)
        try a.save("first", "of A")
        for (machine, other) in [(a, b), (b, a)] {
            try await Self.until("it is scanned") { try await machine.lacking(other).contains("first") }
        }
        try await Self.connect([a, b], true)
        for machine in [a, b] {
            try await machine.until(
                "isConflictVersion == TRUE AND downloadingStatus == 'current'", try await Self.copy(b))
            let copy = try #require(try await Self.copy(machine).first)
            #expect(!copy.contains("20010203-040506"))
            try await Self.until("its author is known") { Self.author(machine, copy) == "\(b.device.prefix(7)) B" }
        }
    }

    private static func copy(_ machine: SyncMachine) async throws -> Set<String> {
        var copies: Set<String> = []
        try await until("there is a version in conflict") {
            copies = try await machine.paths("isConflictVersion == TRUE")
            return !copies.isEmpty
        }
        return copies
    }

    /// A write of the list is a change in the container, too.
    @Test func listsGrowWithSavesAlone() async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        func changes() async throws -> Int {
            let status = try await a.rest("GET", "/rest/db/status?folder=gather-box") as? [String: Any]
            return try #require(status?["sequence"] as? Int)
        }
        func lines() -> Int { Self.list(b, of: a).split(separator: "\n").count }
        try await Self.until("B has the list of A") { lines() == 1 }
        let before = try await changes()
        let burst = 50
        for number in 0..<burst { try a.save("burst/\(number)", "\(number)") }
        try await Self.until("B has the list of A") { lines() >= 1 + burst }
        // Syncthing numbers each change that it finds. The list is not one for each save.
        #expect(try await changes() - before < burst + burst / 2)
        for number in 1...2 {
            try a.save("later\(number)", "x")
            try await Self.until("B has the list of A") { lines() >= 1 + burst + number }
        }
        #expect(lines() == 1 + burst + 2)
        #expect(Self.list(b, of: b) == "")
        try await a.until("isUploaded == FALSE OR downloadingStatus != 'current'", [])
    }
}
