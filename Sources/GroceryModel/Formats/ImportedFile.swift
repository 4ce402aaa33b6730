// The items of a file that is imported, and the parts that are left out.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments

/// The items of a file that is imported, and the parts that are left out.
package struct ImportedFile: Sendable {
    package internal(set) var items: [ImportedItem] = []
    /// The lines that are no items, such as `line 1: # Dairy`.
    package internal(set) var leftOutLines: [String] = []
    /// The fields that items do not have, with the number of items in the file that have a value there.
    package private(set) var leftOutFields: [(name: String, items: Int)] = []
    /// The places of the fields there.
    private var placesOfFields: [String: Int] = [:]

    init() {}

    /// Reads a file.
    ///
    /// - Throws: ``GroceryError/Code/invalid`` with the line or the item, if one of them cannot be read or saved, or if two have the
    ///   same identifier.
    package init(_ bytes: [UInt8], as format: ImportFormat) throws(GroceryError) {
        let bytes = bytes.withoutByteOrderMark
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw GroceryError(.invalid, "the file is not UTF-8 text; iconv(1) changes it into that")
        }
        switch format {
        case .json: self = try ItemsJSON.file(bytes)
        case .csv: self = try ItemsCSV.file(text)
        case .markdown: self = try CheckList.file(text)
        case .todo:
            items = try TodoText.lines(text).map { number, item in
                ImportedItem(
                    contents: item, fields: [.name, .quantity, .bought, .tags], place: "line \(number)")
            }
        }
        var places: [String: String] = [:]
        for index in items.indices {
            try items[index].normalize()
            if let id = items[index].id { try ImportedFile.require(id.text, items[index].place, &places) }
        }
    }

    /// Makes sure that an identifier is the only one of its kind. Upper and lower case are the same, as in UUIDs.
    static func require(_ id: String, _ place: String, _ places: inout [String: String]) throws(GroceryError) {
        if let other = places.updateValue(place, forKey: id.uppercased()) {
            throw GroceryError(.invalid, "\(other) and \(place) have the same identifier, \(DisplayText.escaped(id))")
        }
    }

    /// Remembers a field that is left out.
    mutating func leaveOut(_ field: String) {
        let index = placesOfFields[field] ?? leftOutFields.count
        if index == leftOutFields.count {
            leftOutFields.append((field, 0))
            placesOfFields[field] = index
        }
        leftOutFields[index].items += 1
    }
}
