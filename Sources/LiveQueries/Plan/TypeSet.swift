// The content types for which a comparison holds.
// SPDX-License-Identifier: Apache-2.0

package import ContentTypes
package import Metadata
import MetadataIndex

/// The content types of a database for which a comparison holds, and whether it holds for items without a type.
struct TypeSet: Sendable {
    private let database: ContentTypeDatabase
    private var bits: [UInt64]
    private let holdsForNone: Bool

    /// Evaluates `answer` for each type; nil if one of them has none.
    init?(_ database: ContentTypeDatabase, _ answer: (String?) -> Bool?) {
        self.database = database
        bits = Array(repeating: 0, count: (database.types.count + 63) / 64)
        guard let none = answer(nil) else { return nil }
        holdsForNone = none
        for (number, type) in database.types.enumerated() {
            guard let holds = answer(type) else { return nil }
            if holds { bits[number / 64] |= 1 << UInt64(number % 64) }
        }
    }

    /// The answer, if it is the same for all types and for none.
    var constant: Bool? {
        let count = bits.reduce(0) { $0 + $1.nonzeroBitCount }
        if count == 0, !holdsForNone { return false }
        return count == database.types.count && holdsForNone ? true : nil
    }

    /// Whether it holds for an item of this kind and name.
    func contains(_ kind: FileKind, _ name: UnsafeRawBufferPointer) -> Bool {
        guard let type = database.type(kind, name) else { return holdsForNone }
        return bits[Int(type.rawValue) / 64] >> UInt64(type.rawValue % 64) & 1 != 0
    }
}

extension ContentTypeDatabase {
    /// The type of an item. The name of a package gives its type, as if it were a file.
    package func type(_ kind: FileKind, _ name: UnsafeRawBufferPointer) -> TypeNumber? {
        // Without the database no item has a type.
        if isEmpty { return nil }
        return switch kind {
        case .file: type(ofName: name)
        case .package: type(ofName: name) ?? type(of: .directory)
        case .directory: type(of: .directory)
        case .symlink: type(of: .symlink)
        case .fifo: type(of: .fifo)
        case .socket: type(of: .socket)
        case .characterDevice: type(of: .characterDevice)
        case .blockDevice: type(of: .blockDevice)
        }
    }
}
