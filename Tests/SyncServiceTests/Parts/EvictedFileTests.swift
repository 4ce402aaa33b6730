// Files that are removed since they are evicted.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import Testing

@testable import SyncService

@Suite struct EvictedFileTests {
    private let folder = NSTemporaryDirectory() + "gather-evicted-file-\(UUID().uuidString.prefix(8))"
    private var path: String { folder + "/letter.txt" }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try Data("first".utf8).write(to: URL(filePath: path))
    }

    private func end() { try? FileManager.default.removeItem(atPath: folder) }

    private func look() throws -> HeldFile { try #require(HeldFile(path, part: "letter.txt")) }

    private func contents() throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return Dictionary(
            uniqueKeysWithValues: names.map { name in
                let data = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
                return (name, String(decoding: data, as: UTF8.self))
            })
    }

    @Test func aFileThatIsAsItWasIsRemoved() throws {
        defer { end() }
        try Data("other".utf8).write(to: URL(filePath: folder + "/other.txt"))
        try EvictedFile.remove(look(), path, device: "AAAAAAA")
        #expect(try contents() == ["other.txt": "other"])
    }

    @Test func aFileThatHasChangedKeepsItsName() throws {
        defer { end() }
        let before = try look()
        try Data("second version".utf8).write(to: URL(filePath: path))
        #expect(throws: EvictedFile.changed) { try EvictedFile.remove(before, path, device: "AAAAAAA") }
        #expect(try contents() == ["letter.txt": "second version"])
    }

    @Test func aFileThatWasReplacedKeepsItsName() throws {
        defer { end() }
        let before = try look()
        try Data("first".utf8).write(to: URL(filePath: path), options: .atomic)
        #expect(throws: EvictedFile.changed) { try EvictedFile.remove(before, path, device: "AAAAAAA") }
        #expect(try contents() == ["letter.txt": "first"])
    }

    @Test func aFileThatIsGoneIsTold() throws {
        defer { end() }
        let before = try look()
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: SystemError.noEntry) { try EvictedFile.remove(before, path, device: "AAAAAAA") }
        #expect(try contents() == [:])
    }
}
