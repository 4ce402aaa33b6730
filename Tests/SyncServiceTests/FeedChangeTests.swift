// Changes that gatherd reports beside the versions of Syncthing's database.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Syncthing
import Testing
import Varlink

@testable import SyncService

struct FeedChangeTests {
    private static func entry(local: String, newest: String) throws -> FileEntry {
        try Array(#"{"local": {\#(local)}, "global": {\#(newest)}}"#.utf8).withUnsafeBytes { bytes in
            try JSONReader.read(bytes) { (reader) throws(JSONError) in try FileEntry(from: &reader) }
        }
    }

    /// Syncthing tells this of a version that it does not have.
    private static let nothing =
        #""name": "", "type": "FILE_INFO_TYPE_FILE", "size": 0, "modified": "1970-01-01T00:00:00Z""#

    private static func directory(deleted: Bool = false, changed: String? = nil) -> String {
        #""type": "FILE_INFO_TYPE_DIRECTORY", "deleted": \#(deleted)"#
            + (changed.map { #", "inodeChange": "\#($0)""# } ?? "")
    }

    private static let (before, after) = ("2026-11-26T12:00:00.5Z", "2026-11-26T12:00:01Z")

    /// A directory is known once it is in the database, and while Syncthing makes it: then others have it only.
    @Test(arguments: [nil, after]) func aDirectoryThatSyncthingMakesIsKnown(changed: String?) throws {
        let change = FeedChange.directory(changed: changed.flatMap { Timestamp(rfc3339: $0) })
        for local in [Self.nothing, Self.directory(deleted: true)] {
            #expect(change.isKnown(to: try Self.entry(local: local, newest: Self.directory())))
            #expect(!change.isKnown(to: try Self.entry(local: local, newest: Self.directory(deleted: true))))
        }
        #expect(!change.isKnown(to: nil))
        #expect(!change.isKnown(to: try Self.entry(local: Self.nothing, newest: #""type": "FILE_INFO_TYPE_FILE""#)))
    }

    /// A change of its mode or attributes is known if Syncthing has looked at the directory since.
    @Test func aDirectoryThatWasChangedIsScanned() throws {
        func isKnown(_ changed: String?, recorded: String?) throws -> Bool {
            let one = Self.directory(changed: recorded)
            return FeedChange.directory(changed: changed.flatMap { Timestamp(rfc3339: $0) })
                .isKnown(to: try Self.entry(local: one, newest: one))
        }
        #expect(try isKnown(nil, recorded: Self.before))
        #expect(try isKnown(Self.before, recorded: Self.before))
        #expect(try isKnown(Self.before, recorded: Self.after))
        #expect(try !isKnown(Self.after, recorded: Self.before))
        // Syncthing before 1.22 has no such time, and takes no directory for changed that is not.
        #expect(try isKnown(nil, recorded: nil))
        #expect(try !isKnown(Self.after, recorded: nil))
    }

    /// The version of a file that only others have is not here.
    @Test func aFileIsKnownByItsVersionHere() throws {
        let one = #""type": "FILE_INFO_TYPE_FILE", "size": 3, "modified": "\#(Self.after)""#
        let change = FeedChange.file(size: 3, modified: try #require(Timestamp(rfc3339: Self.after)))
        #expect(change.isKnown(to: try Self.entry(local: one, newest: Self.nothing)))
        #expect(!change.isKnown(to: try Self.entry(local: Self.nothing, newest: one)))
        #expect(!FeedChange.removed.isKnown(to: try Self.entry(local: one, newest: one)))
    }
}
