// A folder of a test's own, and documents in it.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherDocuments
import Glibc
import TestSupport
import Testing

/// A folder of a test's own, gone when the test is.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "gather-documents-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
    }
    func read(_ name: String) throws -> String { try String(contentsOfFile: path + "/" + name, encoding: .utf8) }
    /// The names in the folder, in order.
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

    func status(_ name: String) throws -> stat { try Scratch.status(of: path + "/" + name) }
    static func status(of path: String) throws -> stat {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status
    }

    /// Makes a folder with a file, and a document of that file that is open.
    static func opened(_ name: String, containing text: String) async throws -> (Scratch, Document<Text>) {
        let scratch = try Scratch()
        try scratch.write(text, to: name)
        let document = scratch.document(name)
        try await document.open()
        return (scratch, document)
    }

    /// Makes a document without a daemon. Changes are saved when the test says so.
    func document(_ name: String, device: String = "AAAAAAA", autosave: Duration = .seconds(3_600)) -> Document<Text> {
        Document<Text>(
            path: FilePath(path + "/" + name),
            options: DocumentOptions(
                autosaveInterval: autosave, lockTimeout: Patience.duration, followsChanges: false,
                device: DeviceIdentifier(text: device, name: device.lowercased())!))
    }
}

/// Contents that are text. `refused` cannot be loaded, and `unsaved` cannot be saved.
struct Text: DocumentContents {
    struct Refused: Error {}

    var text: String

    init(_ text: String) { self.text = text }

    init(bytes: [UInt8]) throws {
        text = String(decoding: bytes, as: UTF8.self)
        if text == "refused" { throw Refused() }
    }

    var bytes: [UInt8] {
        get throws {
            if text == "unsaved" { throw Refused() }
            return Array(text.utf8)
        }
    }
}

/// Extended attributes.
enum Attributes {
    private static let setFunction = cFunction(
        "setxattr",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, CInt) -> CInt).self)
    private static let getFunction = cFunction(
        "getxattr",
        as: (@convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int).self)

    static func set(_ key: String, _ value: String, _ path: String) {
        #expect(setFunction(path, key, value, value.utf8.count, 0) == 0)
    }

    static func get(_ key: String, _ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 1_000)
        let count = getFunction(path, key, &buffer, buffer.count)
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }
}
