// Where a query looks inside packages.
// SPDX-License-Identifier: Apache-2.0

import LiveQueries
import Metadata
import MetadataIndex
import PredicateLanguage
import Testing

@Suite struct SearchedPlacesTests {
    private let index = MetadataIndex(root: NaiveTree.status(.directory))

    private func insert(_ name: String, _ parent: Row, _ kind: FileKind = .file) throws -> ItemIdentifier {
        let row = try Array(name.utf8).withUnsafeBytes {
            try index.insert(parent: parent, name: $0, status: NaiveTree.status(kind))
        }
        return try #require(index.identifier(of: row))
    }

    /// The same by a scan and row by row.
    private func rows(_ text: String) throws -> [Row] {
        let plan = QueryPlan(
            try Predicate(parsing: text, mode: .metadata), environment: .test(index, hasPackages: true))
        let snapshot = index.snapshot()
        let found = Array(try plan.select(in: snapshot))
        let tested = try (1..<UInt32(100)).map { Row($0) }.filter {
            try snapshot.isLive($0) && plan.matches($0, in: snapshot)
        }
        #expect(found == tested, "\(text)")
        return found
    }

    @Test func `A later holder of a named row is not looked at inside its package`() throws {
        let package = try insert("p", .root, .package)
        let file = try insert("f", package.row)
        let directory = try insert("d", package.row, .directory)
        let below = try insert("below", directory.row)
        let text = { (item: ItemIdentifier) in item.text(epoch: index.epoch) }
        let (ofFile, ofDirectory) = (
            "id == '\(text(file))' OR size == 0", "parent == '\(text(directory))' OR size == 0"
        )
        #expect(try rows(ofFile) == [package.row, file.row])
        #expect(try rows(ofDirectory) == [package.row, below.row])
        _ = index.takeChanges()
        for item in [below, directory, file] { try index.remove(item.row) }
        _ = index.takeChanges()
        let later = try (0..<3).map { try insert("new\($0)", package.row, .directory).row }
        try #require(Set(later) == [file.row, directory.row, below.row])
        let inside = try insert("inside", directory.row)
        #expect(try rows("inPackage == YES").count == 4)
        #expect(try rows("parent == '\(text(index.identifier(of: directory.row)!))'") == [inside.row])
        #expect(try rows(ofFile) == [package.row])
        #expect(try rows(ofDirectory) == [package.row])
    }
}
