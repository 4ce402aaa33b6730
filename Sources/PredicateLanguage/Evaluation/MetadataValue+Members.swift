// Parts of values: members, elements, casts.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension MetadataValue {
    /// A member by key: of an object, of each element of a list, or the `length` of text in UTF-16 units. Other values
    /// have nil.
    func member(_ name: String) -> MetadataValue {
        switch self {
        case .dictionary(let members): members[name] ?? .none
        case .array(let elements): .array(elements.map { $0.member(name) })
        case .string(let text) where name == "length": .integer(Int64(text.utf16.count))
        default: .none
        }
    }

    func end(_ end: Expression.CollectionEnd) throws(EvaluationError) -> MetadataValue {
        switch self {
        case .none: return .none
        case .array(let elements):
            switch end {
            case .first: return elements.first ?? .none
            case .last: return elements.last ?? .none
            case .size: return .integer(Int64(elements.count))
            }
        case .dictionary(let members) where end == .size: return .integer(Int64(members.count))
        default: throw EvaluationError("[\(end.rawValue)] takes a list, and this is \(noun)")
        }
    }

    /// An element of a list by its number from 0, or of an object by its key.
    func element(_ index: MetadataValue) throws(EvaluationError) -> MetadataValue {
        switch (self, index) {
        case (.none, _): return .none
        case (.dictionary(let members), .string(let key)): return members[key] ?? .none
        case (.array(let elements), _):
            let place: Int?
            switch Number(index) {
            case .integer(let value): place = Int(exactly: value)
            case .floating(let value): place = Int(exactly: value)
            case nil: throw EvaluationError("an index is a number, and this is \(index.noun)")
            }
            guard let place, elements.indices.contains(place) else {
                throw EvaluationError("there is no such element in a list of \(elements.count)")
            }
            return elements[place]
        case (.dictionary, _): throw EvaluationError("the key of an object is text, and this is \(index.noun)")
        default: throw EvaluationError("only lists and objects have elements, and this is \(noun)")
        }
    }

    /// Seconds from 1970 to 2001, the platform's epoch, from which CAST counts.
    private static let epoch: Int64 = 978_307_200

    func cast(to type: Expression.CastType, in zone: LocalZone) throws(EvaluationError) -> MetadataValue {
        switch (type, self) {
        case (_, .none): return .none
        case (.number, .boolean(let value)): return .integer(value ? 1 : 0)
        case (.number, .integer), (.number, .unsigned), (.number, .number), (.string, .string), (.date, .date):
            return self
        case (.number, .string(let text)):
            if let value = Int64(text) { return .integer(value) }
            if let value = UInt64(text) { return .unsigned(value) }
            if let value = Double(text), value.isFinite { return .number(value) }
            throw EvaluationError("'\(text)' is not a number")
        case (.number, .date(let date)):
            return .number(Double(date.nanoseconds) / 1e9 - Double(MetadataValue.epoch))
        case (.string, .boolean(let value)): return .string(value ? "1" : "0")
        case (.string, .integer(let value)): return .string(String(value))
        case (.string, .unsigned(let value)): return .string(String(value))
        case (.string, .number(let value)): return .string(String(value))
        case (.string, .date(let date)): return .string(date.rfc3339)
        case (.date, .string(let text)):
            guard let date = DateText.timestamp(text, in: zone) else {
                throw EvaluationError("'\(text)' is not a date")
            }
            return .date(date)
        case (.date, .integer(let seconds)):
            let (sum, overflow) = seconds.addingReportingOverflow(MetadataValue.epoch)
            return .date(Timestamp(seconds: overflow ? .max : sum, nanoseconds: 0))
        case (.date, .unsigned): return .date(Timestamp(seconds: .max, nanoseconds: 0))
        case (.date, .number(let seconds)):
            let nanoseconds = ((seconds + Double(MetadataValue.epoch)) * 1e9).rounded()
            let clamped = Int64(exactly: nanoseconds) ?? (nanoseconds < 0 ? .min : .max)
            return .date(Timestamp(nanoseconds: clamped))
        default: throw EvaluationError("\(noun) cannot be cast to '\(type.rawValue)'")
        }
    }
}
