// Suggestions for misspelled words.
// SPDX-License-Identifier: Apache-2.0

/// Finds the known word nearest to an unknown one.
package enum Spelling {
    /// `; did you mean 'name'?` where a known word is near; empty otherwise.
    static func suggestion(for word: String, among known: [String]) -> String {
        guard let nearest = nearest(to: word, among: known) else { return "" }
        return "; did you mean '\(nearest)'?"
    }

    /// The known word that differs from `word` in case only or in the fewest letters, at most a third of them.
    package static func nearest(to word: String, among known: [String]) -> String? {
        let letters = Array(word.lowercased().utf8.prefix(64))
        var best: (word: String, distance: Int)?
        for candidate in known {
            let distance = distance(letters, Array(candidate.lowercased().utf8))
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        guard let best, best.distance <= max(1, min(3, letters.count / 3)) else { return nil }
        return best.word
    }

    /// The number of letters to insert, remove, replace or swap with their neighbour (optimal string alignment).
    static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var value = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { value = min(value, before[j - 1] + 1) }
                row.append(value)
            }
            before = last
            last = row
        }
        return last[b.count]
    }
}
