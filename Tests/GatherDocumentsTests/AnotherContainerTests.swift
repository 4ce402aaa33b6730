// Another directory at the path of a container: nothing is read from it, and nothing is saved to it.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import Metadata
import Testing

@testable import GatherDocuments

struct AnotherContainerTests {
    /// A container with a mark, and another directory beside it.
    private struct World {
        let scratch: Scratch
        let container: LocalContainer
        var other: String { scratch.path + "/other" }
        var note: FilePath { container.data.appending("Documents/note.txt") }

        init(otherMark: ContainerToken?) throws {
            scratch = try Scratch()
            container = try LocalContainer(identifier: "box", in: FilePath(scratch.path))
            try World.fill(container.data.string, .random(), "own")
            try World.fill(other, otherMark, "foreign")
        }

        private static func fill(_ path: String, _ mark: ContainerToken?, _ text: String) throws {
            for folder in ["Documents", ".gather/key-values"] {
                try FileManager.default.createDirectory(atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
            }
            try Data(text.utf8).write(to: URL(filePath: path + "/Documents/note.txt"))
            if let mark { try Data(mark.contents).write(to: URL(filePath: path + "/.gather/container")) }
        }

        func exchange() throws { try Entry.rename(container.data.string, to: other, mode: .exchange) }

        /// The paths and contents of all files at the container's path.
        func files() throws -> [String: Data] {
            let root = container.data.string
            var files: [String: Data] = [:]
            for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
                files[name] = (try? Data(contentsOf: URL(filePath: root + "/" + name))) ?? Data()
            }
            return files
        }
    }

    private static let marks: [ContainerToken?] = [.random(), nil]

    @Test(arguments: marks) func nothingIsReadOrSavedThere(mark: ContainerToken?) async throws {
        let world = try World(otherMark: mark)
        let (container, scratch) = (world.container, world.scratch)
        let document = scratch.document("box/Documents/note.txt")
        try await document.open()
        let store = try await KeyValueStore(container: container)
        try await document.edit { $0.text = "mine" }
        try world.exchange()
        try store.set(1, forKey: "key")
        let before = try world.files()
        let operations: [(String, () async throws -> Void)] = [
            ("save", { try await document.save() }),
            ("close", { try await document.close() }),
            ("revert", { try await document.revert() }),
            ("refresh", { try await document.refresh() }),
            ("synchronize", { try await store.synchronize() }),
            ("create", { try await scratch.document("box/Documents/note.txt").create(Text("x")) }),
            ("open", { try await scratch.document("box/Documents/note.txt").open() }),
            ("folder", { _ = try container.folder(["Documents", "New"]) }),
            ("entries", { _ = try container.entries() }),
            ("trash", { _ = try container.trash.move(world.note) }),
            ("moveOut", { try container.moveOut(world.note, to: FilePath(scratch.path + "/taken")) }),
        ]
        for (name, operation) in operations {
            let error = await #expect(throws: DocumentError.self, "\(name)") { try await operation() }
            #expect(error?.code == .anotherContainer, "\(name): \(error?.message ?? "")")
        }
        #expect(try world.files() == before)
        let reason = mark == nil ? "without the container's .gather/container" : "another container is at its path"
        #expect(await document.savingError?.message.contains(reason) == true)
        // Typed text stays, and is saved when the container's own directory is back.
        #expect(try await document.contents.text == "mine")
        #expect(await document.hasUnsavedChanges)
        try world.exchange()
        try await document.close()
        #expect(try String(contentsOfFile: world.note.string, encoding: .utf8) == "mine")
        try await store.synchronize()
        #expect(store.value(forKey: "key") == 1)
        try await store.close()
    }

    @Test func aContainerWithoutAMarkIsWhateverIsAtItsPath() async throws {
        let world = try World(otherMark: nil)
        #expect(unlink(world.container.data.string + "/.gather/container") == 0)
        let document = world.scratch.document("box/Documents/note.txt")
        try await document.open()
        try world.exchange()
        try await document.refresh()
        #expect(try await document.contents.text == "foreign")
        try await document.close()
    }
}
