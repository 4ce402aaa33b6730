// Files that are evicted and come back, between two real Syncthings.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite(.serialized, .enabled(if: SyncMachine.isInstalled, "syncthing is not installed"))
struct EvictTests {
    /// Names with characters that patterns of Syncthing give a meaning.
    private static let names = [
        "plain", "blank ", " before", "st*r", "wh?t", "[brackets]", "{braces}", "back\\slash", "!bang", "#hash",
        "comma,comma", "(?i)case", "ümlaut",
    ]

    private static func text(_ machine: SyncMachine, _ path: String) -> String? {
        try? String(contentsOfFile: machine.box + "/" + path, encoding: .utf8)
    }

    @Test func evictedFilesStayItemsAndComeBack() async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        for name in Self.names { try a.save("d/" + name, "the text of \(name)") }
        let all = Set(Self.names.map { "d/" + $0 })
        try await b.until(
            "downloadingStatus == 'current' AND isUploaded == TRUE AND kind == 'file' AND name != 'first'", all)

        let evicted = try await b.sharing("Evict", ["paths": [b.box + "/d"]])
        #expect(evicted.error == nil, "\(evicted)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: b.box + "/d") == [])
        try await b.until("downloadingStatus == 'notDownloaded'", all)
        try await a.until("isUploaded == FALSE AND path CONTAINS '/d/'", all)
        for name in Self.names { #expect(Self.text(a, "d/" + name) == "the text of \(name)") }

        // This is the last copy.
        let refused = try await a.sharing("Evict", ["paths": [a.box + "/d/plain"]])
        #expect(refused.error == "NotUploaded" && Self.text(a, "d/plain") != nil, "\(refused)")
        // They follow the other device.
        try a.save("d/plain", "a text that is longer than it was")
        try await b.until("size == 33 AND downloadingStatus == 'notDownloaded'", ["d/plain"])
        unlink(a.box + "/d/st*r")
        try await b.until("name == 'st*r'", [])

        let downloaded = try await b.sharing("Download", ["paths": [b.box + "/d"]])
        #expect(downloaded.error == nil, "\(downloaded)")
        for name in Self.names { #expect(Self.text(a, "d/" + name) == Self.text(b, "d/" + name)) }
        try await b.until("downloadingStatus == 'notDownloaded'", [])
        try await a.until("isUploaded == FALSE", [])
        let missing = try await b.sharing("Evict", ["paths": [b.box + "/none"]])
        #expect(missing.error == "NoSuchItem")
    }

    @Test func aContainerIsEvictedAsAWhole() async throws {
        let pair = try await SyncPair(hasDocuments: true)
        let (a, b) = (pair.a, pair.b)
        let files = ["Documents/letter", "Documents/d/letter", "d/file", "first"]
        for file in files { try a.save(file, "the text of \(file)") }
        // Values that programs on this machine keep open.
        try a.save(".gather/key-values/one", "1")
        let isHere = "downloadingStatus == 'current' AND isUploaded == TRUE AND kind == 'file'"
        try await b.until(isHere, Set(files))
        try await b.until("path CONTAINS '/.gather/' AND " + isHere, [".gather/key-values/one"])
        let evicted = try await b.sharing("Evict", ["paths": [b.box]])
        #expect(evicted.error == nil, "\(evicted)")
        try await b.until("downloadingStatus == 'notDownloaded'", Set(files))
        for file in files { #expect(Self.text(b, file) == nil) }
        #expect(Self.text(b, ".gather/key-values/one") == "1")
        let downloaded = try await b.sharing("Download", ["paths": [b.box]])
        #expect(downloaded.error == nil, "\(downloaded)")
        for file in files { #expect(Self.text(b, file) == "the text of \(file)") }
        try await b.until("downloadingStatus == 'notDownloaded'", [])
    }

    @Test func aDownloadEndsWhenAnotherDeviceRemovedTheFile() async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        try a.save("d/gone", "x")
        try a.save("d/kept", "y")
        try await b.until("downloadingStatus == 'current' AND isUploaded == TRUE AND depth == 2", ["d/gone", "d/kept"])
        let evicted = try await b.sharing("Evict", ["paths": [b.box + "/d"]])
        #expect(evicted.error == nil, "\(evicted)")
        // While nothing can come, the file goes.
        try await a.end("syncthing")
        let path = b.box + "/d"
        async let download = b.sharing("Download", ["paths": [path]])
        unlink(a.box + "/d/gone")
        try await a.startSyncthing()
        let downloaded = try await download
        #expect(downloaded.error == nil, "\(downloaded)")
        #expect(Self.text(b, "d/gone") == nil && Self.text(b, "d/kept") == "y")
    }

    @Test func callsAtOnceKeepEachOthersPatterns() async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        let files = (0..<12).map { "d/f\($0)" }
        for file in files { try a.save(file, file) }
        try await b.until("downloadingStatus == 'current' AND isUploaded == TRUE AND depth == 2", Set(files))
        let (box, rounds) = (b.box, 3)
        for _ in 0..<rounds {
            for method in ["Evict", "Download"] {
                let errors = try await withThrowingTaskGroup(of: String?.self) { group in
                    for file in files {
                        group.addTask { try await b.sharing(method, ["paths": [box + "/" + file]]).error }
                    }
                    return try await group.reduce(into: [String?]()) { $0.append($1) }
                }
                #expect(errors.allSatisfy { $0 == nil }, "\(method): \(errors)")
                try await b.until(
                    "downloadingStatus == 'notDownloaded'", method == "Evict" ? Set(files) : [])
                for file in files {
                    #expect(Self.text(a, file) == file)
                    #expect(Self.text(b, file) == (method == "Evict" ? nil : file))
                }
            }
        }
    }

    @Test func aDownloadEndsWithSyncthing() async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        try a.save("d/f", "x")
        try await b.until("downloadingStatus == 'current' AND isUploaded == TRUE AND depth == 2", ["d/f"])
        let path = b.box + "/d/f"
        let evicted = try await b.sharing("Evict", ["paths": [path]])
        #expect(evicted.error == nil, "\(evicted)")
        try await a.end("syncthing")
        async let download = b.sharing("Download", ["paths": [path]])
        // The pattern of the file goes first.
        while try await
            !((b.rest("GET", "/rest/db/ignores?folder=gather-box") as? [String: Any])?["ignore"] as? [String]
            ?? []).isEmpty
        {
            await Task.yield()
        }
        try await b.end("syncthing")
        let answer = try await download
        // The call asks Syncthing at this moment, or waits for it.
        #expect(answer.error == "NotRunning" || answer.error == "Failed", "\(answer)")
        // The download was begun, and needs no other call.
        try await a.startSyncthing()
        try await b.startSyncthing()
        try await b.until("downloadingStatus == 'current' AND name == 'f'", ["d/f"])
        #expect(Self.text(b, "d/f") == "x")
    }

    private struct Text: DocumentContents {
        var text: String
        init(bytes: [UInt8]) { text = String(decoding: bytes, as: UTF8.self) }
        var bytes: [UInt8] { Array(text.utf8) }
    }

    private struct Drawing: PackageContents {
        var package: Package
        init(package: Package) { self.package = package }
    }

    @Test func anEvictedDocumentIsDownloadedWhenItIsOpened() async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        // A file of the same name below, which is here, is another one.
        try a.save("note.txt", "the note")
        try a.save("d/note.txt", "another note")
        try a.save("cat.drawing/first", "one")
        try a.save("cat.drawing/layers/second", "two")
        let evicted: Set = ["note.txt", "cat.drawing/first", "cat.drawing/layers/second"]
        try await b.until(
            "downloadingStatus == 'current' AND isUploaded == TRUE AND name IN {'note.txt', 'second'} AND inPackage IN {TRUE, FALSE}",
            ["note.txt", "d/note.txt", "cat.drawing/layers/second"])
        let answer = try await b.sharing("Evict", ["paths": [b.box + "/note.txt", b.box + "/cat.drawing"]])
        #expect(answer.error == nil, "\(answer)")
        try await b.until("downloadingStatus == 'notDownloaded' AND inPackage IN {TRUE, FALSE}", evicted)

        let options = DocumentOptions(
            daemonTimeout: Patience.duration, daemon: .at(path: b.socket.path, sharing: b.directory + "/helper"))
        let none = await #expect(throws: DocumentError.self) {
            try await Document<Text>(path: FilePath(b.box + "/none.txt"), options: options).open()
        }
        #expect(none?.code == .notFound)

        let note = Document<Text>(path: FilePath(b.box + "/note.txt"), options: options)
        try await note.open()
        #expect(try await note.contents.text == "the note")
        #expect(note.state == [])
        try await note.close()
        // By another spelling of the path.
        #expect(symlink(b.box, b.directory + "/link") == 0)
        let drawing = Document<Drawing>(path: FilePath(b.directory + "/link/cat.drawing"), options: options)
        try await drawing.open()
        #expect(try await drawing.contents.package.contents(at: "first") == Array("one".utf8))
        #expect(try await drawing.contents.package.contents(at: "layers/second") == Array("two".utf8))
        try await drawing.close()
        try await b.until("downloadingStatus == 'notDownloaded'", [])

        // Without the helper, the error says where the contents are.
        try await a.until("isUploaded == FALSE", [])
        try await b.until("isUploaded == FALSE", [])
        let again = try await b.sharing("Evict", ["paths": [b.box + "/note.txt"]])
        #expect(again.error == nil, "\(again)")
        let states = try await b.client.find("name == 'note.txt' AND downloadingStatus == 'notDownloaded'").items
        #expect(states.count == 1)
        let away = await #expect(throws: DocumentError.self) {
            var options = options
            options.daemon = .at(path: b.socket.path, sharing: b.directory + "/no-helper")
            try await Document<Text>(path: FilePath(b.box + "/note.txt"), options: options).open()
        }
        #expect(away?.code == .notDownloaded)
        #expect(
            away?.message.hasPrefix(
                "cannot open \(b.box)/note.txt: its contents are on other devices only, and cannot be downloaded: ")
                == true, "\(String(describing: away))")
    }

    /// The ends of the steps of an eviction and of a download, as they show from outside.
    enum Step: String, CaseIterable, CustomTestStringConvertible {
        case patternIsSet, listIsWritten, fileIsGone, patternIsTaken, fileIsBack

        var testDescription: String { rawValue }
        var isOfDownload: Bool { self == .patternIsTaken || self == .fileIsBack }

        func isDone(_ machine: SyncMachine) async throws -> Bool {
            switch self {
            case .patternIsSet, .patternIsTaken:
                let answer = try await machine.rest("GET", "/rest/db/ignores?folder=gather-box") as? [String: Any]
                return (answer?["ignore"] as? [String] ?? []).isEmpty == isOfDownload
            case .listIsWritten:
                let names = try? FileManager.default.contentsOfDirectory(atPath: machine.box + "/.gather-sync")
                return (names ?? []).contains { $0.hasPrefix("evicted-") }
            case .fileIsGone, .fileIsBack: return (text(machine, "d/f") != nil) == isOfDownload
            }
        }
    }

    @Test(arguments: Step.allCases) func aHelperKilledBetweenTwoStepsLosesNothing(step: Step) async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        try a.save("d/f", "the text")
        try await b.until("downloadingStatus == 'current' AND isUploaded == TRUE AND depth == 2", ["d/f"])
        let paths = [b.box + "/d/f"]
        if step.isOfDownload {
            let evicted = try await b.sharing("Evict", ["paths": paths])
            #expect(evicted.error == nil, "\(evicted)")
        }
        let refusal = Mutex<String?>(nil)
        let call = Task {
            let error = (try? await b.sharing(step.isOfDownload ? "Download" : "Evict", ["paths": paths]))?.error
            refusal.withLock { $0 = error }
        }
        while try await !step.isDone(b) {
            try #require(refusal.withLock { $0 } == nil)
            await Task.yield()
        }
        try await b.end("gather-syncd", SIGKILL)
        await call.value
        #expect(Self.text(a, "d/f") == "the text")
        try await b.startHelper()
        // It is an item, here or not.
        try await b.until("isUbiquitous == TRUE AND name == 'f'", ["d/f"])
        let downloaded = try await b.sharing("Download", ["paths": paths])
        #expect(downloaded.error == nil, "\(downloaded)")
        #expect(Self.text(a, "d/f") == "the text" && Self.text(b, "d/f") == "the text")
        try await a.until("isUploaded == TRUE AND name == 'f'", ["d/f"])
    }

    /// It dies before the first rename, of the list of what is evicted, or before the file, which has left its name, is removed.
    @Test(.enabled(if: RefusedCalls.arePossible), arguments: ["renameat2", "unlinkat"])
    func aHelperKilledInACallLosesNothing(call: String) async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        try a.save("d/f", "the text")
        try await b.until("downloadingStatus == 'current' AND isUploaded == TRUE AND depth == 2", ["d/f"])
        try await b.end("gather-syncd")
        try await b.startHelper(refusing: [.ends(call)])
        try await b.until("downloadingStatus == 'current' AND isUploaded == TRUE AND depth == 2", ["d/f"])
        let paths = [b.box + "/d/f"]
        await #expect(throws: (any Error).self) { try await b.sharing("Evict", ["paths": paths]) }
        #expect(try await b.end("gather-syncd").status == 128 + SIGSYS)
        #expect((Self.text(b, "d/f") == nil) == (call == "unlinkat"))
        try await b.startHelper()
        try await b.until("isUbiquitous == TRUE AND path CONTAINS '/d/'", ["d/f"])
        let downloaded = try await b.sharing("Download", ["paths": paths])
        #expect(downloaded.error == nil, "\(downloaded)")
        // Nothing is said to be evicted any more.
        let lists = try FileManager.default.contentsOfDirectory(atPath: b.box + "/.gather-sync")
        #expect(lists.filter { $0.hasPrefix("evicted-") } == [])
        try await b.until("downloadingStatus == 'current' AND path CONTAINS '/d/'", ["d/f"])
        #expect(Self.text(a, "d/f") == "the text" && Self.text(b, "d/f") == "the text")
        try await a.until("isUploaded == TRUE AND path CONTAINS '/d/'", ["d/f"])
    }

    @Test(.enabled(if: RefusedCalls.arePossible)) func aFileThatCannotBeRemovedKeepsItsName() async throws {
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        try a.save("d/f", "the text")
        try await b.end("gather-syncd")
        try await b.startHelper(refusing: [RefusedCalls.Refusal("unlinkat", EPERM)])
        try await b.until("downloadingStatus == 'current' AND isUploaded == TRUE AND depth == 2", ["d/f"])
        let refused = try await b.sharing("Evict", ["paths": [b.box + "/d/f"]])
        #expect(refused.error == "NotUploaded", "\(refused)")
        #expect((refused.parameters["reason"] as? String)?.contains("cannot be removed") == true, "\(refused)")
        #expect(Self.text(b, "d/f") == "the text")
        try await b.until("isUbiquitous == TRUE AND path CONTAINS '/d/'", ["d/f"])
    }

    /// The helper is killed at a random moment of an eviction or a download.
    @Test(arguments: TestLength.part(of: UInt64(1)...8, oneIn: 8)) func aKilledHelperLosesNothing(seed: UInt64)
        async throws
    {
        print("EvictTests: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let pair = try await SyncPair()
        let (a, b) = (pair.a, pair.b)
        let files = (0..<6).map { "d/f\($0)" }
        for file in files { try a.save(file, "the text of \(file)") }
        try await b.until(
            "downloadingStatus == 'current' AND isUploaded == TRUE AND name BEGINSWITH 'f' AND depth == 2", Set(files))
        for round in 0..<6 {
            let method = round.isMultiple(of: 2) ? "Evict" : "Download"
            let paths = [b.box + "/d"]
            let call = Task { _ = try? await b.sharing(method, ["paths": paths]) }
            // Questions to the daemon are the time that passes.
            for _ in 0..<Int.random(in: 0..<2_000, using: &random) { _ = try await b.client.status() }
            try await b.end("gather-syncd", SIGKILL)
            await call.value
            for file in files {
                #expect(Self.text(a, file) == "the text of \(file)", "seed \(seed), round \(round): \(file)")
                if let here = Self.text(b, file) { #expect(here == "the text of \(file)") }
            }
            try await b.startHelper()
            // Each is an item, here or not.
            try await b.until("isUbiquitous == TRUE AND name BEGINSWITH 'f' AND depth == 2", Set(files))
        }
        let downloaded = try await b.sharing("Download", ["paths": [b.box + "/d"]])
        #expect(downloaded.error == nil, "\(downloaded)")
        for file in files { #expect(Self.text(b, file) == "the text of \(file)", "seed \(seed): \(file)") }
    }
}
