// The wildcards of LIKE.
// SPDX-License-Identifier: Apache-2.0

/// A pattern of LIKE. `?` is one character, `*` any number of them, and a backslash makes `*`, `?` and itself plain.
/// Matching walks with two pointers and goes back to the last `*` only: at worst the product of the two lengths, never
/// exponential.
struct LikePattern: Sendable, Hashable {
    /// Literal bytes, or ``one`` or ``any``. Adjacent stars are one.
    private(set) var steps: [UInt16] = []

    private static let one: UInt16 = 256
    private static let any: UInt16 = 257

    init(_ pattern: String, folding: TextFolding) {
        var literal: [UInt8] = []
        func flush(_ steps: inout [UInt16]) {
            guard !literal.isEmpty else { return }
            steps += literal.withUnsafeBytes { folding.fold($0) }.bytes.map(UInt16.init)
            literal.removeAll()
        }
        var bytes = Array(pattern.utf8)[...]
        while let byte = bytes.popFirst() {
            switch Unicode.Scalar(byte) {
            case "*":
                flush(&steps)
                if steps.last != LikePattern.any { steps.append(LikePattern.any) }
            case "?":
                flush(&steps)
                steps.append(LikePattern.one)
            case "\\":
                // A backslash before any other character, or at the end, is plain.
                if let next = bytes.first, "*?\\".utf8.contains(next) {
                    literal.append(next)
                    bytes.removeFirst()
                } else {
                    literal.append(byte)
                }
            default: literal.append(byte)
            }
        }
        flush(&steps)
    }

    /// Whether it matches every text.
    var matchesEverything: Bool { steps == [LikePattern.any] }

    /// The literal that every matching text has: the whole text, else its beginning, else its end, else its longest
    /// inner part.
    var requiredLiteral: RequiredLiteral? {
        let runs = steps.split(whereSeparator: { $0 >= 256 })
        guard !runs.isEmpty else {
            return steps.isEmpty ? RequiredLiteral(.whole, [], isSufficient: true) : nil
        }
        func literal(_ run: ArraySlice<UInt16>, _ place: RequiredLiteral.Place, wildcards: [UInt16]) -> RequiredLiteral
        {
            let rest = Array(steps[..<run.startIndex]) + Array(steps[run.endIndex...])
            return RequiredLiteral(place, run.map { UInt8(truncatingIfNeeded: $0) }, isSufficient: rest == wildcards)
        }
        let any = LikePattern.any
        if runs[0].count == steps.count { return literal(runs[0], .whole, wildcards: []) }
        if runs[0].startIndex == 0 { return literal(runs[0], .prefix, wildcards: [any]) }
        if let last = runs.last, last.endIndex == steps.count { return literal(last, .suffix, wildcards: [any]) }
        guard let longest = runs.max(by: { $0.count < $1.count }) else { return nil }
        return literal(longest, .infix, wildcards: [any, any])
    }

    /// Whether the whole text matches.
    func matches(_ subject: some PatternSubject) -> Bool {
        let text = subject.bytes
        return steps.withUnsafeBufferPointer { steps in
            var place = 0
            var step = 0
            // The place to continue from after a failure: behind the last star, one character further each time.
            var retryStep = -1
            var retryPlace = 0
            while place < text.count {
                if step < steps.count, steps[step] == LikePattern.any {
                    step += 1
                    if step == steps.count { return true }
                    (retryStep, retryPlace) = (step, place)
                } else if step < steps.count, steps[step] == LikePattern.one {
                    place = subject.next(place)
                    step += 1
                } else if step < steps.count, steps[step] == UInt16(text[place]),
                    // A character must end where a literal ends.
                    step + 1 < steps.count && steps[step + 1] < 256 || subject.isBoundary(place + 1)
                {
                    place += 1
                    step += 1
                } else if retryStep >= 0 {
                    retryPlace = subject.next(retryPlace)
                    (step, place) = (retryStep, retryPlace)
                } else {
                    return false
                }
            }
            while step < steps.count, steps[step] == LikePattern.any { step += 1 }
            return step == steps.count
        }
    }
}
