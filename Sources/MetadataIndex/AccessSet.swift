// In which ways the directories of a package may be used.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// What decides who may do what with each of some directories, each way once. Most packages have one, which takes no memory
/// of its own and is compared in no time.
package struct AccessSet: Sendable, Hashable {
    /// Directories that differ in more ways have no set.
    package static let mostAccesses = 16
    /// Nor have those whose access lists have more bytes together, which are written out with a package that changes: a
    /// hundred entries or so.
    package static let mostListBytes = 4_096

    private let first: FileAccess
    /// Ascending, as all together are.
    private let others: [FileAccess]

    /// Nil for none, and for too many.
    package init?(_ accesses: Set<FileAccess>) {
        self.init(ofAnyBytes: accesses)
        var bytes = 0
        for list in Set(accesses.map(\.accessList)) where list != .none { bytes += AccessLists.bytes(of: list).count }
        if bytes > AccessSet.mostListBytes { return nil }
    }

    /// One whose lists are not those of this process yet.
    init?(ofAnyBytes accesses: Set<FileAccess>) {
        guard accesses.count <= AccessSet.mostAccesses else { return nil }
        let ascending = accesses.sorted(by: AccessSet.precedes)
        guard let first = ascending.first else { return nil }
        self.first = first
        others = accesses.count == 1 ? [] : Array(ascending.dropFirst())
    }

    package var count: Int { 1 + others.count }
    /// Bytes beside the value itself.
    var byteCount: Int { others.capacity * MemoryLayout<FileAccess>.stride }

    /// In an order that is the same within one process.
    func forEach<E: Error>(_ body: (FileAccess) throws(E) -> Void) throws(E) {
        try body(first)
        for access in others { try body(access) }
    }

    /// Whether a caller may do so with each.
    package func allow(_ wanted: Permissions, to credentials: Credentials) -> Bool {
        credentials.may(wanted, first) && others.allSatisfy { credentials.may(wanted, $0) }
    }

    private static func precedes(_ a: FileAccess, _ b: FileAccess) -> Bool {
        (a.owner, a.group, a.mode, a.accessList.number) < (b.owner, b.group, b.mode, b.accessList.number)
    }
}
