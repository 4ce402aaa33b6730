// Names that differ only by case.
// SPDX-License-Identifier: Apache-2.0

extension Folder {
    /// Refuses a new name if an entry has the same name in other case, or with accents that are coded in another way. Other
    /// systems that the folder is replicated to keep one of the two only. Names that are not UTF-8 are not compared. Complexity:
    /// O(entries of the folder).
    ///
    /// - Parameter former: The name that the entry has in this folder until now.
    /// - Throws: ``DocumentError/Code/nameDiffersInCase``.
    func requireDistinctCase(_ name: [UInt8], except former: [UInt8]? = nil) throws(DocumentError) {
        guard let key = NameCase.key(name) else { return }
        for other in try names(where: { _ in true })
        where other != name && other != former && NameCase.key(other) == key {
            throw DocumentError(
                code: .nameDiffersInCase,
                message:
                    "cannot make \(text(name)): '\(String(decoding: other, as: UTF8.self))' is there, and differs only by case",
                path: text(name))
        }
    }
}

/// The comparison of names without regard to case.
enum NameCase {
    /// Returns a text that is equal for names that differ only by case or by the coding of accents; nil for a name that is not
    /// UTF-8.
    static func key(_ name: [UInt8]) -> String? {
        // Strings are equal if they are canonically equivalent.
        String(validating: name, as: UTF8.self)?.lowercased()
    }
}
