// Random items with few different values, some of them missing.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit

/// Items that a seed repeats (SplitMix64).
struct SampleItems: RandomNumberGenerator {
    private var state: UInt64
    private var count = 0

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    static let texts = [
        "Item_1.txt", "Item_22.txt", "Cr\u{E8}me.jpg", "Cre\u{300}me.jpg", "a", "b", "c", "", "K", "\u{212A}",
        "it's \\ \"quoted\"", "\u{C4}rger", "A\u{308}rger", "z", "ana", "*", "x;y", "\u{1F34F} apple",
    ]
    private static let tags = ["red", "urgent", "useful", "Cr\u{E8}me", "Cre\u{300}me", "a", "K"]

    mutating func item() throws -> MetadataItem {
        count += 1
        var object: [String: Any] = ["id": "i\(count % 7)"]
        for key in ["name", "owner", "fileExtension"] { object[key] = SampleItems.texts.randomElement(using: &self)! }
        object["container"] = ["data", "grocery"].randomElement(using: &self)!
        object["kind"] = ["file", "directory", "package", "symlink"].randomElement(using: &self)!
        object["scope"] = ["documents", "data"].randomElement(using: &self)!
        object["hidden"] = Bool.random(using: &self)
        for key in ["size", "depth", "links"] { object[key] = Int.random(in: 0...12, using: &self) }
        for key in ["created", "modified"] {
            object[key] = Timestamp(seconds: Int64.random(in: 99...103, using: &self), nanoseconds: 5).rfc3339
        }
        object["tags"] = Array(SampleItems.tags.shuffled(using: &self).prefix(Int.random(in: 0...3, using: &self)))
        for key in object.keys.sorted() where key != "id" {
            if Int.random(in: 0..<4, using: &self) == 0 { object[key] = nil }
        }
        return try Language.item(
            String(decoding: JSONSerialization.data(withJSONObject: object), as: UTF8.self))
    }
}
