// The distinct values of an attribute.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// The distinct values of an attribute over the matches, with the containers for which they may be wrong.
public struct ValuesResult: Sendable, Hashable {
    /// The values with their counts, most frequent first, and equally frequent ones in natural order.
    public let values: [AttributeValueCount]
    /// The containers for which the answer may be wrong, because they are degraded, unavailable or not read yet.
    public let inexactContainers: [ContainerIdentifier]
    /// The clock of the answer.
    public let clock: DaemonClock

    init(_ reply: QueryInterface.Values.Reply, of attribute: Attribute) {
        values = reply.values.map { AttributeValueCount($0, of: attribute) }
        inexactContainers = [ContainerIdentifier](inexact: reply.inexact)
        clock = DaemonClock(rawValue: reply.clock)
    }
}

extension AttributeValueCount {
    init(_ count: ValueCount, of attribute: Attribute) {
        let value: MetadataValue =
            if let text = count.text {
                if attribute.type == .date, let date = Timestamp(rfc3339: text) { .date(date) } else { .string(text) }
            } else if let integer = count.integer {
                attribute.value(ofBits: integer)
            } else if let number = count.number {
                .number(number)
            } else if let flag = count.flag {
                .boolean(flag)
            } else {
                .none
            }
        self.init(value: value, count: Int(clamping: count.count))
    }
}
