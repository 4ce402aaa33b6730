// The reserved words.
// SPDX-License-Identifier: Apache-2.0

/// A reserved word, in any case. `size`, `first` and `last` are not reserved: outside `[…]` they are keys.
enum Keyword: String {
    case and = "AND"
    case or = "OR"
    case not = "NOT"
    case `in` = "IN"
    case any = "ANY"
    case some = "SOME"
    case all = "ALL"
    case none = "NONE"
    case like = "LIKE"
    case matches = "MATCHES"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case between = "BETWEEN"
    case null = "NULL"
    case `nil` = "NIL"
    case `self` = "SELF"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case cast = "CAST"
    case ternary = "TERNARY"
    case subquery = "SUBQUERY"
    case function = "FUNCTION"
    case fetch = "FETCH"
    case anyKey = "ANYKEY"
    case caseInsensitive = "CASEINSENSITIVE"
    case ci = "CI"
    case conformsTo = "UTI-CONFORMS-TO"
    case utiEquals = "UTI-EQUALS"

    init?(word: String) {
        guard word.utf8.count <= 15, let keyword = Keyword(rawValue: word.uppercased()) else { return nil }
        self = keyword
    }

    /// The comparison operator that the word is.
    var comparison: Comparison.Operator? {
        switch self {
        case .in: .in
        case .like: .like
        case .matches: .matches
        case .contains: .contains
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .between: .between
        case .conformsTo: .conformsTo
        case .utiEquals: .sameType
        default: nil
        }
    }
}
