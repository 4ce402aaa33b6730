// Items written as the daemon writes them and read as clients read them.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Metadata
import Testing
import Varlink

private let status = FileStatus(
    kind: .symlink, mode: 0o4755, size: .max, created: Timestamp(nanoseconds: -1), modified: Timestamp(nanoseconds: 0),
    changed: Timestamp(nanoseconds: 1_769_850_000_123_456_789), owner: 1000, group: .max, links: 3, inode: .max,
    device: 8 << 32 | 1)

private func withBytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    Array(text.utf8).withUnsafeBytes(body)
}

private func item(_ body: (inout JSONWriter) -> Void) throws -> Item {
    let bytes = JSONBytes { writer in
        ItemWriter.begin(id: "a-1", to: &writer)
        body(&writer)
        ItemWriter.end(&writer)
    }
    let fields = try #require(QueryInterface.interface.types["Item"]?.type)
    guard case .structure(let declared) = fields else { throw JSONError(.invalidValue("Item"), at: 0) }
    #expect(QueryInterface.interface.invalidField(in: bytes, declaredAs: declared) == nil)
    return try bytes.decode(Item.self)
}

@Suite struct ItemTests {
    @Test func everyAttributeThereAndBack() throws {
        let item = try item { writer in
            withBytes("p-2") { ItemWriter.parent($0, to: &writer) }
            withBytes("é\"\n.txt") { ItemWriter.name($0, to: &writer) }
            withBytes("/srv/é\"\n.txt") { ItemWriter.path($0, to: &writer) }
            withBytes("/srv/old") { ItemWriter.previousPath($0, to: &writer) }
            withBytes("d") { ItemWriter.displayName($0, to: &writer) }
            withBytes("txt") { ItemWriter.fileExtension($0, to: &writer) }
            ItemWriter.string("grocery", .container, to: &writer)
            ItemWriter.scope(.documents, to: &writer)
            ItemWriter.string("me", .owner, to: &writer)
            ItemWriter.string("us", .group, to: &writer)
            ItemWriter.string("a/b", .contentType, to: &writer)
            ItemWriter.integer(2, .depth, to: &writer)
            ItemWriter.hidden(false, to: &writer)
            ItemWriter.inPackage(true, to: &writer)
            ItemWriter.boolean(true, .isConflictVersion, to: &writer)
            withBytes("/srv/é.txt") { ItemWriter.conflictOf($0, to: &writer) }
            ItemWriter.string("ABCDEFG", .conflictDevice, to: &writer)
            ItemWriter.date(Timestamp(nanoseconds: 7), .conflictDate, to: &writer)
            ItemWriter.boolean(true, .hasUnresolvedConflicts, to: &writer)
            ItemWriter.integer(2, .conflictVersions, to: &writer)
            for attribute: Attribute in [.isUbiquitous, .isDownloading, .isUploaded, .isUploading] {
                ItemWriter.boolean(true, attribute, to: &writer)
            }
            for attribute: Attribute in [.downloadingStatus, .downloadingError, .uploadingError, .savingDevice] {
                ItemWriter.string("t\(attribute)", attribute, to: &writer)
            }
            ItemWriter.integer(40, .percentDownloaded, to: &writer)
            ItemWriter.integer(60, .percentUploaded, to: &writer)
            ItemWriter.strings(["shelf"], .uploadedTo, to: &writer)
            ItemWriter.strings(["x", "é"], .tags, to: &writer)
            ItemWriter.string("c", .comment, to: &writer)
            ItemWriter.integer(8, .rating, to: &writer)
            ItemWriter.string("https://a", .whereFrom, to: &writer)
            ItemWriter.string("../t", .target, to: &writer)
            let xattrs = ExtraAttributes([(Array("a\"b".utf8), Array("é".utf8)), (Array("raw".utf8), [0xFF])])
            ItemWriter.extended(xattrs, ["a\"b", "raw", "none"].compactMap { ExtendedAttributeName($0) }, to: &writer)
            ItemWriter.strings(["a/b"], .contentTypeTree, to: &writer)
            for attribute in Attribute.fixed { ItemWriter.status(status, attribute, to: &writer) }
        }
        #expect(item.id == "a-1")
        #expect(item.parent == "p-2")
        #expect(item.name == "é\"\n.txt")
        #expect(item.path == "/srv/é\"\n.txt")
        #expect(item.pathBytes == Array("/srv/é\"\n.txt".utf8))
        #expect(item.previousPath == "/srv/old")
        #expect(item.kind == .symlink)
        #expect(item.scope == .documents)
        #expect(item.size == .max)
        #expect(item.created == status.created)
        #expect(item.modified == status.modified)
        #expect(item.changed == status.changed)
        #expect(item.ownerID == 1000)
        #expect(item.groupID == 4_294_967_295)
        #expect(item.mode == 0o4755)
        #expect(item.inode == .max)
        #expect(item.value(of: .inode) == .unsigned(.max) && item.values(of: [.inode]) == [.unsigned(.max)])
        #expect(item.device == 0x8_0000_0001)
        #expect(item.links == 3)
        #expect(item.depth == 2)
        #expect(item.hidden == false)
        #expect(item.inPackage == true)
        #expect(item.isConflictVersion == true && item.conflictOf == "/srv/é.txt" && item.conflictDevice == "ABCDEFG")
        #expect(item.conflictDate == Timestamp(nanoseconds: 7))
        #expect(item.hasUnresolvedConflicts == true && item.conflictVersions == 2)
        #expect(item.isUbiquitous == true && item.isDownloading == true && item.isUploading == true)
        #expect(item.isUploaded == true && item.uploadedTo == ["shelf"])
        #expect(item.downloadingStatus == "tdownloadingStatus" && item.downloadingError == "tdownloadingError")
        #expect(item.uploadingError == "tuploadingError" && item.savingDevice == "tsavingDevice")
        #expect(item.percentDownloaded == 40 && item.percentUploaded == 60)
        #expect(item.tags == ["x", "é"])
        #expect(item.contentType == "a/b")
        #expect(item.contentTypeTree == ["a/b"])
        #expect(item.comment == "c" && item.rating == 8 && item.whereFrom == "https://a" && item.target == "../t")
        #expect(item.extended == ["a\"b": "é"])
        #expect(item.value(of: try #require(Attribute(name: "xattr.a\"b"))) == .string("é"))
        #expect(item.value(of: try #require(Attribute(name: "xattr.raw"))) == .none)
        for attribute in Attribute.fixed { #expect(item.value(of: attribute) != .none, "\(attribute)") }
        #expect(item.value(of: .tags) == .array([.string("x"), .string("é")]))
        #expect(item.value(of: .changed) == .date(status.changed))
        #expect(item.value(of: .kind) == .string("symlink"))
    }

    @Test func absentAttributesAreNone() throws {
        let item = try item { _ in }
        for attribute in Attribute.fixed where attribute != .id { #expect(item.value(of: attribute) == .none) }
        #expect(item.value(of: .id) == .string("a-1"))
        #expect(item.pathBytes == nil)
        var unborn = status
        unborn.created = nil
        #expect(
            !JSONBytes { writer in writer.bool(ItemWriter.status(unborn, .created, to: &writer)) }.text.contains("t"))
    }

    @Test func namesThatAreNotUTF8KeepTheirBytes() throws {
        let name: [UInt8] = [0x61, 0xFF, 0x62]
        let path = Array("/srv/".utf8) + name
        let item = try item { writer in
            name.withUnsafeBytes { ItemWriter.name($0, to: &writer) }
            path.withUnsafeBytes { ItemWriter.path($0, to: &writer) }
            (path + [0xFE]).withUnsafeBytes { ItemWriter.previousPath($0, to: &writer) }
            (path + [0xFD]).withUnsafeBytes { ItemWriter.conflictOf($0, to: &writer) }
        }
        #expect(item.previousPath == "/srv/a\u{FFFD}b\u{FFFD}" && item.previousPathBytes == path + [0xFE])
        #expect(item.conflictOf == "/srv/a\u{FFFD}b\u{FFFD}" && item.conflictOfBytes == path + [0xFD])
        #expect(item.name == "a\u{FFFD}b")
        #expect(item.nameBytes == name)
        #expect(item.path == "/srv/a\u{FFFD}b")
        #expect(item.pathBytes == path)
    }

    @Test func readsWhatOtherDaemonsMaySay() throws {
        let item = try JSONBytes(
            #" {"id":"x","size":"big","kind":"portal","extended":{"user.a":"1"},"new":[{}],"rating":5,"target":"t"} "#
        ).decode(Item.self)
        #expect(item.size == nil)
        #expect(item.kind == .other)
        #expect(item.extended == ["user.a": "1"])
        #expect(item.rating == 5)
        #expect(item.target == "t")
        #expect(throws: JSONError(.missingField("id"), at: 0)) { try JSONBytes("{}").decode(Item.self) }
    }

    @Test func removals() throws {
        let path: [UInt8] = [0x2F, 0xFE]
        let bytes = JSONBytes { writer in
            withBytes("i") { id in path.withUnsafeBytes { ItemWriter.removal(id: id, path: $0, to: &writer) } }
        }
        #expect(try bytes.decode(Removal.self) == Removal(id: "i", path: "/\u{FFFD}", rawPath: "L/4="))
        #expect(try bytes.decode(Removal.self).pathBytes == path)
    }

    @Test func timestampsAreThoseOfTheVocabulary() {
        var values: [Int64] = [0, 1, -1, .min, .max, 999_999_999, -999_999_999, 1_000_000_000, -1_000_000_000]
        var state: UInt64 = 42
        for _ in 0..<5000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            values.append(Int64(bitPattern: state))
            values.append(Int64(bitPattern: state) / 86_400_000_000_000 * 86_400_000_000_000)
        }
        for value in values {
            let time = Timestamp(nanoseconds: value)
            #expect(JSONBytes { $0.timestamp(time) }.text == "\"\(time.rfc3339)\"", "\(value)")
        }
    }
}

@Suite struct FindReplyPathsTests {
    @Test func walksPaths() throws {
        let odd: [UInt8] = [0x2F, 0xFF, 0x0A]
        let reply = JSONBytes { writer in
            writer.beginObject()
            writer.key("items")
            writer.beginArray()
            for path in ["/plain", "/with \"quotes\"\n", "/é"] {
                ItemWriter.begin(id: "i", to: &writer)
                withBytes(path) { ItemWriter.path($0, to: &writer) }
                ItemWriter.integer(5, .size, to: &writer)
                ItemWriter.end(&writer)
            }
            ItemWriter.begin(id: "i", to: &writer)
            odd.withUnsafeBytes { ItemWriter.path($0, to: &writer) }
            ItemWriter.end(&writer)
            writer.endArray()
            writer.field("inexact", ["c"])
            writer.field("clock", "k")
            writer.endObject()
        }
        var paths: [[UInt8]] = []
        let summary = try FindReplySummary(walking: reply) { paths.append(Array($0)) }
        #expect(paths == ["/plain", "/with \"quotes\"\n", "/é"].map { Array($0.utf8) } + [odd])
        #expect(summary.count == 4)
        #expect(summary.inexact == ["c"])
        #expect(summary.clock == "k")
        let decoded = try reply.decode(QueryInterface.Find.Reply.self)
        #expect(decoded.items.compactMap(\.pathBytes) == paths)
        #expect(JSONBytes(decoded) == reply)
    }

    @Test func refusesWhatIsNoReply() {
        for text in [
            "[]", "{\"items\":{}}", "{\"items\":[1]}", "{\"items\":[{\"path\":1}]}", "{\"items\":[{}]", "{}",
            "{\"items\":[]}", "{\"clock\":\"c\"}", "{\"items\":[{\"id\":\"1\"}],\"clock\":\"c\"}",
            "{\"items\":[{\"id\":\"1\",\"rawPath\":\"!\"}],\"clock\":\"c\"}",
        ] {
            #expect(throws: JSONError.self) { try FindReplySummary(walking: JSONBytes(text)) { _ in } }
        }
    }
}
