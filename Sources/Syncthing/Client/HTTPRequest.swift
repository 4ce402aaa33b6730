// One request of the REST interface.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1

/// A request, with its limits.
struct HTTPRequest: Sendable {
    var method: HTTPMethod
    /// The path, without its query.
    var path: String
    var query: [(String, String)] = []
    var body: ByteBuffer?
    var time = SyncthingLimits.requestTime
    var maximumBytes = SyncthingLimits.answerBytes

    /// The request as errors name it.
    var name: String { "\(method.rawValue) \(path)" }

    /// The path with its query, escaped.
    var target: String {
        var text = HTTPRequest.escaped(path, isPath: true)
        for (index, (name, value)) in query.enumerated() {
            text += index == 0 ? "?" : "&"
            text += name + "=" + HTTPRequest.escaped(value, isPath: false)
        }
        return text
    }

    private static func escaped(_ text: String, isPath: Bool) -> String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "~"):
                bytes.append(byte)
            case UInt8(ascii: "/") where isPath: bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
