// Imported items and errors in short, to compare them.
// SPDX-License-Identifier: Apache-2.0

@testable import GroceryModel

extension ImportedFile {
    /// The items: `x` for a bought one, the name, the quantity, the tags and the note.
    var short: [String] {
        items.map { item in
            let contents = item.contents
            return "\(contents.isBought ? "x " : "")\(contents.name)|\(contents.quantity)"
                + "|\(contents.tags.joined(separator: "+"))|\(contents.note)"
        }
    }
}

extension GroceryError {
    /// The message of the error that `body` throws.
    static func message(_ body: () throws -> Void) -> String {
        do { try body() } catch { return (error as? GroceryError)?.message ?? "\(error)" }
        return "no error"
    }
}
