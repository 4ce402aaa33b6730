// Fields of items by the names that other programs give them.
// SPDX-License-Identifier: Apache-2.0

/// A field of an item by the names that other programs give it.
enum ForeignField: CaseIterable {
    case id, name, quantity, unit, bought, tags, note, others

    /// Returns the field of a name, in any case and with any punctuation; nil for one that items do not have. A smaller rank is
    /// preferred if several names of one field have a value.
    static func named(_ name: String) -> (field: ForeignField, rank: Int)? {
        ranks[name.lowercased().filter { $0.isLetter || $0.isNumber }]
    }

    private static let ranks: [String: (field: ForeignField, rank: Int)] = {
        var ranks: [String: (field: ForeignField, rank: Int)] = [:]
        for field in allCases {
            for (rank, name) in field.names.split(separator: " ").enumerated() {
                ranks[String(name)] = (field, rank)
            }
        }
        return ranks
    }()

    private var names: String {
        switch self {
        case .id: "id uuid uid identifier"
        case .name: "name item title product article itemname productname text content task summary"
        case .quantity: "quantity qty amount count number"
        case .unit: "unit units"
        case .bought:
            "bought isbought purchased ispurchased checked ischecked ticked isticked done isdone complete iscomplete completed"
                + " iscompleted crossed crossedoff checkedoff"
        case .tags: "tags tag category categories labels label aisle section department store shop"
        case .note: "note notes comment comments remark remarks description details"
        case .others: "others"
        }
    }
}
