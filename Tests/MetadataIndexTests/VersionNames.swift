// Names of files and of their conflict versions, for models.
// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A few names of files, with names of their conflict versions. Which name belongs to which is written down here, and not
/// found by reading names.
enum VersionNames {
    /// Each file's name in two parts, between which its versions have the marker.
    private static let parts: [(head: Path, tail: Path)] = [
        (Array("a".utf8), []), (Array("b".utf8), Array(".c".utf8)), ([], Array(".d".utf8)),
        ([0xFF, 0xE4], Array(".txt".utf8)), (Array("e.tar".utf8), Array(".gz".utf8)),
    ]
    private static let markers = [
        ".sync-conflict-20261125-140509-ABCDEFG", ".sync-conflict-20250228-000000-2345672",
        ".sync-conflict-20240229-235960-ZYXWVUT", ".sync-conflict-20240229-235960-", ".sync-conflict-20230101-000000",
    ]

    static let originalOf: [Path: Path] = {
        var found: [Path: Path] = [:]
        for (head, tail) in parts {
            for marker in markers { found[head + Array(marker.utf8) + tail] = head + tail }
            // A version of a version.
            found[head + Array((markers[0] + markers[1]).utf8) + tail] = head + tail
        }
        return found
    }()
    /// The names that versions belong to.
    static let originals = Set(originalOf.values)
    /// All of them, and names that look like versions and are none, in the order of their bytes.
    static let all: [Path] = Set(originalOf.keys).union(originals)
        .union(
            [
                "a.sync-conflict-20261325-140509-ABCDEFG", "a.sync-conflict-20260231-140509-ABCDEFG",
                "a.sync-conflict-20261125-140509-ABCDEF1",
                ".sync-conflict-20261125-140509-ABCDEFG", "a.sync-conflict-20261125-140509-ABCDEFG.b.c",
            ].map { Array($0.utf8) }
        )
        .sorted { $0.lexicographicallyPrecedes($1) }
}
