// From a run that fails to a shorter one that fails as well: changes are left out, as many as can be.
// SPDX-License-Identifier: Apache-2.0

/// Leaves changes of a failing run out, half of them, a quarter, and so on down to single ones (delta debugging).
struct Shrinker {
    /// How often a run is tried that need not fail each time, since threads and the daemon race.
    private static let tries = 3

    let seed: UInt64
    let mode: Mode
    /// How many runs it may take in all.
    var runs = 250

    /// The shortest that was found to fail, and how; nil where the run does not fail again.
    mutating func shrink(_ steps: [Step], rounds: Int) -> (steps: [Step], failure: Failure)? {
        guard var failure = failure(of: steps, rounds) else { return nil }
        var (steps, size) = (steps, max(1, steps.count / 2))
        while runs > 0, !steps.isEmpty {
            var start = 0
            var isShorter = false
            while start < steps.count, runs > 0 {
                var fewer = steps
                fewer.removeSubrange(start..<min(start + size, steps.count))
                if let found = self.failure(of: fewer, rounds) {
                    (steps, failure, isShorter) = (fewer, found, true)
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { break }
            size = max(1, min(size / 2, steps.count / 2))
        }
        return (steps, failure)
    }

    private mutating func failure(of steps: [Step], _ rounds: Int) -> Failure? {
        let kept = Set(steps)
        for _ in 0..<Shrinker.tries where runs > 0 {
            runs -= 1
            do throws(Failure) {
                guard let run = try? Run(seed: seed, mode: mode, takes: { kept.contains($0) }) else { return nil }
                try run.perform(rounds: rounds)
            } catch {
                return error
            }
        }
        return nil
    }
}
