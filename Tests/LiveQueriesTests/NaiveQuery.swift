// Predicates beside closures that say the same.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import LiveQueries
import Metadata
import MetadataIndex
import PredicateLanguage

final class TestAccounts: AccountNaming {
    /// A user whose name some regular expressions fail on.
    static let repetitive: UInt32 = 7

    func user(_ number: UInt32) -> [UInt8] {
        switch number {
        case 0: Array("root".utf8)
        case TestAccounts.repetitive: Array(repeating: UInt8(ascii: "a"), count: 40)
        case 1_000: Array("anna".utf8)
        default: Array("\(number)".utf8)
        }
    }
    func knows(user number: UInt32) -> Bool { true }
    func knows(group number: UInt32) -> Bool { true }
    func agrees(with other: any AccountNaming) -> Bool { true }
    func group(_ number: UInt32) -> [UInt8] {
        Array((number == 0 ? "root" : number == 100 ? "users" : "\(number)").utf8)
    }
}

extension PlanEnvironment {
    static let types = ContentTypeDatabase([
        .init(
            globs: Array("50:image/jpeg:*.jpg\n50:text/plain:*.txt\n".utf8),
            subclasses: Array("image/jpeg image/x-any\n".utf8), aliases: Array("image/jpg image/jpeg\n".utf8))
    ])

    static func test(
        _ index: MetadataIndex, now: Timestamp = Timestamp(nanoseconds: 0), viewer: Viewer? = nil,
        hasPackages: Bool = false
    ) -> PlanEnvironment {
        PlanEnvironment(
            container: "box", rootPath: Array("/srv/box".utf8), epoch: index.epoch, accounts: TestAccounts(), now: now,
            viewer: viewer, types: types, hasPackages: hasPackages)
    }
}

extension NaiveView {
    fileprivate var isTyped: Bool { name.lowercased().hasSuffix(".jpg") || name.lowercased().hasSuffix(".txt") }

    /// Whether it is something with contents of its own, with this at the end of its name.
    fileprivate func isFile(_ suffix: String) -> Bool {
        (kind == .file || kind == .package) && name.lowercased().hasSuffix(suffix)
    }
}

/// A predicate, and its meaning.
struct NaiveQuery: Sendable {
    let text: String
    let holds: @Sendable (NaiveView) -> Bool

    func predicate() throws(PredicateError) -> Predicate {
        try Predicate(parsing: text, mode: .metadata, types: PlanEnvironment.types)
    }

    /// Queries about packages.
    static let ofPackages: [NaiveQuery] = [
        NaiveQuery(text: "inPackage == YES") { $0.isInPackage },
        NaiveQuery(text: "inPackage == NO AND size > 100") { !$0.isInPackage && $0.status.size > 100 },
        NaiveQuery(text: "inPackage IN {YES, NO}") { _ in true },
        NaiveQuery(text: "TERNARY(inPackage == YES, size, 1000) >= 200") { !$0.isInPackage || $0.status.size >= 200 },
        NaiveQuery(text: "kind == 'package'") { $0.kind == .package },
        NaiveQuery(text: "kind == 'package' AND size >= 200") { $0.kind == .package && $0.status.size >= 200 },
        NaiveQuery(text: "kind == 'package' AND modified > '1970-01-01T00:00:02Z'") {
            $0.kind == .package && $0.status.modified.nanoseconds > 2_000_000_000
        },
        NaiveQuery(text: "kind == 'package' AND inPackage == YES") { $0.kind == .package && $0.isInPackage },
        NaiveQuery(text: "size + 0 > 200") { $0.status.size > 200 },
    ]

    /// Whether what lies inside a package is an item of it.
    var namesPackages: Bool { text.contains("inPackage") }
    /// Whether it names an archive that an item lies below.
    func names(_ item: NaiveView) -> Bool { text.contains("/.gather") && "/\(item.path)".contains("/.gather/") }
    /// The directories that its paths name. The path of the file that a version belongs to names none.
    var directories: [String] { text.contains("'/srv/box/a/") && !text.hasPrefix("conflictOf") ? ["a"] : [] }

    /// Queries that name an archive.
    static let ofArchives: [NaiveQuery] = [
        NaiveQuery(text: "path CONTAINS '/.gather/'") { "/\($0.path)".contains("/.gather/") },
        NaiveQuery(text: "size == 0 OR path LIKE '*/.gather/*'") {
            $0.status.size == 0 || "/\($0.path)".contains("/.gather/")
        },
        NaiveQuery(text: "name LIKE '*' AND NOT path CONTAINS '/.stversions/'") {
            !"/\($0.path)".contains("/.stversions/")
        },
    ]

    static let all: [NaiveQuery] = [
        NaiveQuery(text: "") { _ in true },
        NaiveQuery(text: "FALSEPREDICATE") { _ in false },
        NaiveQuery(text: "name == 'a'") { $0.name == "a" },
        NaiveQuery(text: "name != 'a'") { $0.name != "a" },
        NaiveQuery(text: "name LIKE 'Item_*'") { $0.name.hasPrefix("Item_") },
        NaiveQuery(text: "name LIKE[c] 'item_*'") { $0.name.lowercased().hasPrefix("item_") },
        NaiveQuery(text: "name ENDSWITH '.jpg'") { $0.name.hasSuffix(".jpg") },
        NaiveQuery(text: "name CONTAINS 'tem_'") { $0.name.contains("tem_") },
        NaiveQuery(text: "name CONTAINS 'e'") { $0.name.contains("e") },
        NaiveQuery(text: "name LIKE '?.jpg'") { $0.name.count == 5 && $0.name.hasSuffix(".jpg") },
        NaiveQuery(text: "name IN {'a', 'b', 'notes.txt'}") { ["a", "b", "notes.txt"].contains($0.name) },
        NaiveQuery(text: "name MATCHES '[ab].*'") { $0.name.hasPrefix("a") || $0.name.hasPrefix("b") },
        NaiveQuery(text: "name < 'b'") { Array($0.name.utf8).lexicographicallyPrecedes(Array("b".utf8)) },
        NaiveQuery(text: "fileExtension == 'jpg'") { $0.name.hasSuffix(".jpg") },
        NaiveQuery(text: "fileExtension ==[c] 'jpg'") { $0.name.lowercased().hasSuffix(".jpg") },
        NaiveQuery(text: "fileExtension != 'jpg'") { !$0.name.hasSuffix(".jpg") },
        NaiveQuery(text: "fileExtension == nil") { !$0.name.contains(".") },
        NaiveQuery(text: "fileExtension BEGINSWITH 'g'") { $0.name.contains(".g") },
        NaiveQuery(text: "contentType == 'image/jpeg'") { $0.isFile(".jpg") },
        NaiveQuery(text: "contentType == nil") { ($0.kind == .file) && !$0.isFile(".jpg") && !$0.isFile(".txt") },
        NaiveQuery(text: "contentType LIKE 'inode/*'") { $0.kind != .file && !($0.kind == .package && $0.isTyped) },
        NaiveQuery(text: "contentType UTI-CONFORMS-TO 'image/x-any' AND size > 100") {
            $0.isFile(".jpg") && $0.status.size > 100
        },
        NaiveQuery(text: "NOT contentType UTI-EQUALS 'image/jpg'") { !$0.isFile(".jpg") },
        NaiveQuery(text: "ANY contentTypeTree == 'application/octet-stream'") {
            $0.isFile(".jpg") || $0.isFile(".txt")
        },
        NaiveQuery(text: "kMDItemContentTypeTree == nil") { ($0.kind == .file) && !$0.isTyped },
        NaiveQuery(text: "kind == 'directory'") { $0.kind == .directory },
        NaiveQuery(text: "kind IN {'directory', 'symlink'}") { $0.kind == .directory || $0.kind == .symlink },
        NaiveQuery(text: "kind != 'file' AND size > 100") { $0.kind != .file && $0.status.size > 100 },
        NaiveQuery(text: "size >= 200") { $0.status.size >= 200 },
        NaiveQuery(text: "size BETWEEN {100, 300}") { (100...300).contains($0.status.size) },
        NaiveQuery(text: "size IN {100, 400}") { [100, 400].contains($0.status.size) },
        NaiveQuery(text: "size < 150.5 OR name == 'b'") { $0.status.size < 151 || $0.name == "b" },
        NaiveQuery(text: "size / 100 == 3") { $0.status.size / 100 == 3 },
        NaiveQuery(text: "modified > '1970-01-01T00:00:01Z'") { $0.status.modified.nanoseconds > 1_000_000_000 },
        NaiveQuery(text: "created == nil") { $0.status.created == nil },
        NaiveQuery(text: "created != nil AND name BEGINSWITH 'x'") {
            $0.status.created != nil && $0.name.hasPrefix("x")
        },
        NaiveQuery(text: "ownerID == 1000") { $0.status.owner == 1_000 },
        NaiveQuery(text: "owner == 'anna'") { $0.status.owner == 1_000 },
        NaiveQuery(text: "group != 'users'") { $0.status.group != 100 },
        NaiveQuery(text: "owner CONTAINS '0'") { $0.status.owner == 1_001 },
        NaiveQuery(text: "mode == 0o755") { $0.status.mode == 0o755 },
        NaiveQuery(text: "hidden == YES") { $0.name.hasPrefix(".") },
        NaiveQuery(text: "NOT hidden == YES AND kind == 'file'") { !$0.name.hasPrefix(".") && $0.kind == .file },
        NaiveQuery(text: "ANY tags == 'red'") { $0.tags.contains("red") },
        NaiveQuery(text: "NONE tags == 'red'") { !$0.tags.contains("red") },
        NaiveQuery(text: "ANY tags LIKE '*e*'") { $0.tags.contains { $0.contains("e") } },
        NaiveQuery(text: "tags != nil") { !$0.tags.isEmpty },
        NaiveQuery(text: "tags.@count > 1") { $0.tags.count > 1 },
        NaiveQuery(text: "comment == 'red'") { $0.comment == "red" },
        NaiveQuery(text: "kMDItemComment != 'red' AND size > 100") { $0.comment != "red" && $0.status.size > 100 },
        NaiveQuery(text: "comment == nil") { $0.comment == nil },
        NaiveQuery(text: "rating >= 3") { $0.rating.map { $0 >= 3 } ?? false },
        NaiveQuery(text: "rating != 3") { $0.rating != 3 },
        NaiveQuery(text: "rating != nil") { $0.rating != nil },
        NaiveQuery(text: "target ENDSWITH 'b' OR name == 'b'") { $0.target?.hasSuffix("b") ?? false || $0.name == "b" },
        NaiveQuery(text: "target == '*'") { $0.target != nil },
        NaiveQuery(text: "xattr.a == comment") { $0.xattrs["a"] == $0.comment },
        NaiveQuery(text: "xattr['b-c'] CONTAINS 'y'") { $0.xattrs["b-c"]?.contains("y") ?? false },
        NaiveQuery(text: "xattr.xdg.tags LIKE '*,*'") { $0.tags.count > 1 },
        NaiveQuery(text: "depth == 2") { $0.depth == 2 },
        NaiveQuery(text: "depth > 2 AND name BEGINSWITH 'a'") { $0.depth > 2 && $0.name.hasPrefix("a") },
        NaiveQuery(text: "scope == 'documents'") { $0.isInDocuments },
        NaiveQuery(text: "scope == 'data' AND name ENDSWITH 'g'") { !$0.isInDocuments && $0.name.hasSuffix("g") },
        NaiveQuery(text: "path BEGINSWITH '/srv/box/a/'") { $0.path.hasPrefix("a/") },
        NaiveQuery(text: "path BEGINSWITH '/srv/box/a'") { $0.path.hasPrefix("a") },
        NaiveQuery(text: "path == '/srv/box/a/b' OR name == 'c'") { $0.path == "a/b" || $0.name == "c" },
        NaiveQuery(text: "path LIKE '/srv/box/a/b*' AND size >= 100") {
            $0.path.hasPrefix("a/b") && $0.status.size >= 100
        },
        NaiveQuery(text: "path BEGINSWITH '/srv'") { _ in true },
        NaiveQuery(text: "path LIKE '*/sub/*'") { "/\($0.path)".contains("/sub/") },
        NaiveQuery(text: "path CONTAINS 'b' AND size == 0") {
            "/srv/box/\($0.path)".contains("b") && $0.status.size == 0
        },
        NaiveQuery(text: "container == 'box' AND name == 'c'") { $0.name == "c" },
        NaiveQuery(text: "container == 'other' OR name == 'c'") { $0.name == "c" },
        NaiveQuery(text: "(name BEGINSWITH 'a' OR name ENDSWITH '.txt') AND NOT size == 0") {
            ($0.name.hasPrefix("a") || $0.name.hasSuffix(".txt")) && $0.status.size != 0
        },
        NaiveQuery(text: "name == 'a' OR depth == 1") { $0.name == "a" || $0.depth == 1 },
        NaiveQuery(text: "NSMetadataItemFSNameKey == '*'") { _ in true },
    ]
}

/// A scope, and its meaning.
struct NaiveScope: Sendable {
    let scopes: [QueryScope]
    let holds: @Sendable (NaiveView) -> Bool

    private static func below(_ path: String) -> QueryScope { .directory(Array(path.utf8)) }

    static let ofArchives: [NaiveScope] = [
        NaiveScope(scopes: [below(".gather")]) { $0.path.hasPrefix(".gather/") },
        NaiveScope(scopes: [below("a/.stversions"), below(".gather/a")]) {
            $0.path.hasPrefix("a/.stversions/") || $0.path.hasPrefix(".gather/a/")
        },
        NaiveScope(scopes: [.whole, below(".gather")]) { _ in true },
    ]

    static let all: [NaiveScope] = [
        NaiveScope(scopes: [.whole]) { _ in true },
        NaiveScope(scopes: [.documents]) { $0.isInDocuments },
        NaiveScope(scopes: [.data]) { !$0.isInDocuments },
        NaiveScope(scopes: [.documents, .data]) { _ in true },
        NaiveScope(scopes: [below("a")]) { $0.path.hasPrefix("a/") },
        NaiveScope(scopes: [below("a/b")]) { $0.path.hasPrefix("a/b/") },
        NaiveScope(scopes: [below("a/b"), below("c"), below("a/b/c")]) {
            $0.path.hasPrefix("a/b/") || $0.path.hasPrefix("c/")
        },
        NaiveScope(scopes: [.data, below("Documents/a")]) { !$0.isInDocuments || $0.path.hasPrefix("Documents/a/") },
        NaiveScope(scopes: [below("")]) { _ in true },
        NaiveScope(scopes: []) { _ in false },
    ]
}
