// Codes captured values by Foundation's rules: kinds by name, timestamps by text.
// SPDX-License-Identifier: Apache-2.0

public import GatherKit

extension FileKind: Codable {
    /// Reads a kind from its name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let kind = FileKind(name: name) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "there is no kind '\(name)'")
        }
        self = kind
    }

    /// Writes the kind's name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name.description)
    }
}

extension Timestamp: Codable {
    /// Reads a point in time from its RFC 3339 text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let timestamp = Timestamp(rfc3339: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no point in time")
        }
        self = timestamp
    }

    /// Writes the RFC 3339 text, to the nanosecond.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rfc3339)
    }
}
