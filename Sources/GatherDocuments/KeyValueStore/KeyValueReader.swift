// Reads the text of a store's file.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata
internal import Varlink

/// A reader of ``KeyValueText``. Each method returns nil where the text does not have its form, and takes any bytes.
struct KeyValueReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    var isAtEnd: Bool { index == bytes.endIndex }

    /// The index of the next byte.
    var position: Int { index }

    /// The bytes from an earlier ``position`` up to here.
    func bytes(since start: Int) -> [UInt8] { Array(bytes[start..<index]) }

    /// Skips this byte if it is the next.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard index < bytes.endIndex, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    /// Reads up to a byte, which is skipped.
    mutating func word(until end: UInt8) -> String? {
        guard let stop = bytes[index...].firstIndex(of: end) else { return nil }
        defer { index = stop + 1 }
        return String(validating: bytes[index..<stop], as: UTF8.self)
    }

    /// Reads an integer.
    mutating func integer() -> Int64? {
        let start = index
        if index < bytes.endIndex, bytes[index] == UInt8(ascii: "-") { index += 1 }
        while index < bytes.endIndex, 48...57 ~= bytes[index] { index += 1 }
        return Int64(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    /// Reads a quoted text.
    mutating func text() -> String? {
        guard skip(KeyValueText.quote) else { return nil }
        var text: [UInt8] = []
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            switch byte {
            case KeyValueText.quote: return String(validating: text, as: UTF8.self)
            case KeyValueText.backslash:
                guard let escaped = escaped() else { return nil }
                text.append(escaped)
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escaped() -> UInt8? {
        if skip(KeyValueText.quote) { return KeyValueText.quote }
        if skip(KeyValueText.backslash) { return KeyValueText.backslash }
        guard skip(UInt8(ascii: "x")), bytes.endIndex - index >= 2 else { return nil }
        defer { index += 2 }
        return UInt8(String(decoding: bytes[index..<index + 2], as: UTF8.self), radix: 16)
    }

    /// Reads a value.
    mutating func value(depth: Int = 0) -> KeyValue? {
        guard index < bytes.endIndex else { return nil }
        let kind = bytes[index]
        if kind == KeyValueText.quote { return text().map(KeyValue.string) }
        index += 1
        switch kind {
        case UInt8(ascii: "t"): return .boolean(true)
        case UInt8(ascii: "f"): return .boolean(false)
        case UInt8(ascii: "i"): return integer().map(KeyValue.integer)
        case UInt8(ascii: "@"): return integer().map { .date(Timestamp(nanoseconds: $0)) }
        case UInt8(ascii: "d"): return double()
        case UInt8(ascii: "b"): return data()
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "{"): return dictionary(depth: depth)
        default: return nil
        }
    }

    private mutating func double() -> KeyValue? {
        let start = index
        while index < bytes.endIndex, 48...57 ~= bytes[index] || "+-.e".utf8.contains(bytes[index]) { index += 1 }
        guard let number = Double(String(decoding: bytes[start..<index], as: UTF8.self)), number.isFinite else {
            return nil
        }
        return .double(number)
    }

    private mutating func data() -> KeyValue? {
        let start = index
        while index < bytes.endIndex, Base64.isDigit(bytes[index]) { index += 1 }
        return bytes[start..<index].withUnsafeBytes(Base64.decode).map(KeyValue.data)
    }

    private mutating func array(depth: Int) -> KeyValue? {
        guard depth < KeyValueLimits.deepestNesting else { return nil }
        var elements: [KeyValue] = []
        if skip(UInt8(ascii: "]")) { return .array([]) }
        while let element = value(depth: depth + 1) {
            elements.append(element)
            if skip(UInt8(ascii: "]")) { return .array(elements) }
            guard skip(UInt8(ascii: ",")) else { return nil }
        }
        return nil
    }

    private mutating func dictionary(depth: Int) -> KeyValue? {
        guard depth < KeyValueLimits.deepestNesting else { return nil }
        var elements: [String: KeyValue] = [:]
        if skip(UInt8(ascii: "}")) { return .dictionary([:]) }
        while let key = text(), skip(UInt8(ascii: ":")), let element = value(depth: depth + 1) {
            guard elements.updateValue(element, forKey: key) == nil else { return nil }
            if skip(UInt8(ascii: "}")) { return .dictionary(elements) }
            guard skip(UInt8(ascii: ",")) else { return nil }
        }
        return nil
    }
}
