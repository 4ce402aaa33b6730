// In which ways the directories of a package may be used.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// The distinct access rules (owner, group, mode, list) of a set of directories. Most packages have one rule, which
/// takes no memory of its own and is compared by one integer.
package struct AccessSet: Sendable, Hashable {
    /// Directories that differ in more ways have no set.
    package static let mostAccesses = 16
    /// A set whose access lists have more bytes together is not kept, since the lists are written out with every change of
    /// the package. The limit is about a hundred entries.
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

    /// Returns a set whose access lists were not interned by this process.
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
