// Numbers with nouns.
// SPDX-License-Identifier: Apache-2.0

enum Plural {
    /// Returns `1 container`, `2 containers`.
    static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }
}
