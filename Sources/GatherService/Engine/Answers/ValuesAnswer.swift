// The answer of a Values, from snapshots to JSON, on any thread.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LiveQueries
import Metadata
import MetadataIndex
import Varlink

/// The distinct values of an attribute over the matching items, as the array of the reply.
struct ValuesAnswer: Sendable {
    let values: JSONBytes

    /// Scans the snapshots and counts, unless `guard` ends it.
    init(
        _ attribute: Attribute, _ parts: [AnswerPart], limit: Int?, limits: ServiceLimits, guard scanGuard: ScanGuard
    ) throws {
        var tally = ValueTally(
            attribute, maximumValues: limits.distinctValues, maximumBytes: limits.distinctValueBytes)
        for part in parts {
            let selection = try part.plan.select(in: part.snapshot, guard: scanGuard)
            try ValuesAnswer.counting {
                () throws(ValueTally.Failure) in
                try tally.add(selection, in: part.snapshot, environment: part.plan.environment, guard: scanGuard)
            }
        }
        var writer = JSONWriter(capacity: 4_096)
        writer.beginArray()
        for (value, count) in tally.counts(limit: limit) {
            ValueCount(value, count: count).write(to: &writer)
            guard writer.count <= ProtocolLimits.findReplyBytes else {
                throw QueryError.limitExceeded(limit: "replyBytes", value: Int64(ProtocolLimits.findReplyBytes))
            }
        }
        writer.endArray()
        values = writer.takeBytes()
    }

    private static func counting(_ body: () throws(ValueTally.Failure) -> Void) throws {
        do throws(ValueTally.Failure) { try body() } catch {
            switch error {
            case .tooManyValues(let limit):
                throw QueryError.limitExceeded(limit: "distinctValues", value: Int64(limit))
            case .tooManyBytes(let limit):
                throw QueryError.limitExceeded(limit: "distinctValueBytes", value: Int64(limit))
            case .cancelled: throw error
            }
        }
    }

    /// The reply.
    func reply(inexact: [String]?, clock: String) -> JSONBytes {
        var writer = JSONWriter(capacity: values.count + 256)
        writer.beginObject()
        writer.key("values")
        writer.raw(values)
        writer.field("inexact", inexact)
        writer.field("clock", clock)
        writer.endObject()
        return writer.takeBytes()
    }
}

extension ValueCount {
    fileprivate init(_ value: MetadataValue, count: Int) {
        self.init(count: Int64(count))
        switch value {
        case .boolean(let value): flag = value
        case .integer(let value): integer = value
        case .unsigned(let value): integer = Int64(bitPattern: value)
        case .number(let value): number = value
        case .string(let value): text = value
        case .date(let value): text = value.rfc3339
        case .none, .array, .dictionary: break
        }
    }
}
