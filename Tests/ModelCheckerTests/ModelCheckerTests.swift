// The model checker as a test: every mode with random seeds, bounded, or as the environment says.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite(.serialized) struct ModelCheckerTests {
    /// After so many it is known that something is wrong.
    private static let failuresAtMost = 10

    /// A wish that cannot be met; nothing else is run in its place.
    private struct UnknownWish: Error, CustomStringConvertible {
        var variable: String
        var value: String
        var known: String

        var description: String { "\(variable) is '\(value)', but has to be \(known)" }
    }

    /// The run that `Packaging/dev/check-model` requests.
    private struct Wish {
        var seed: UInt64?
        var minutes: Double?
        var modes: [Mode]
        var connections: Int?
        var shrinks: Bool

        init() throws {
            let environment = ProcessInfo.processInfo.environment
            func read<Value>(_ variable: String, known: String, _ parse: (String) -> Value?) throws -> Value? {
                guard let text = environment[variable], !text.isEmpty else { return nil }
                guard let value = parse(text) else {
                    throw UnknownWish(variable: variable, value: text, known: known)
                }
                return value
            }
            // Room to count on from it.
            seed = try read("GATHER_MODEL_SEED", known: "a number up to \(UInt64.max >> 1)") { text in
                UInt64(text).flatMap { $0 <= UInt64.max >> 1 ? $0 : nil }
            }
            minutes = try read("GATHER_MODEL_MINUTES", known: "a number") { Double($0) }
            let names = Mode.allCases.map(\.rawValue).joined(separator: ", ")
            modes =
                try read("GATHER_MODEL_MODE", known: "one of \(names)") { Mode(rawValue: $0).map { [$0] } }
                ?? Mode.allCases
            connections = try read("GATHER_MODEL_CONNECTIONS", known: "a number up to \(Mode.mostConnections)") {
                text in
                Int(text).flatMap { 1...Mode.mostConnections ~= $0 ? $0 : nil }
            }
            shrinks = environment["GATHER_MODEL_SHRINK"] != nil
        }
    }

    @Test func `Gather is never wrong`() async throws {
        let wish = try Wish()
        let modes = await ModelCheckerTests.possibleModes(wish)
        let failures = await withCheckedContinuation { continuation in
            // It blocks, which tasks must not.
            Thread.detachNewThread { continuation.resume(returning: ModelCheckerTests.check(wish, modes)) }
        }
        for failure in failures { Issue.record(failure, "\(failure)") }
    }

    /// Returns the modes that this user may run.
    private static func possibleModes(_ wish: Wish) async -> [Mode] {
        var modes: [Mode] = []
        for mode in wish.modes {
            let canHave = await Daemon.canHave(mode.conditions)
            let can = canHave && (mode.connections.map(Run.canHave(connections:)) ?? true)
            let lack = canHave ? "have so many connections" : "set its conditions"
            // CI looks for these words.
            if !can { say("check-model: mode \(mode.rawValue) is left out: this user may not \(lack)") }
            if can { modes.append(mode) }
        }
        return modes
    }

    private static func check(_ wish: Wish, _ modes: [Mode]) -> [Failure] {
        if modes.isEmpty, let mode = wish.modes.first {
            return [Failure(seed: wish.seed ?? 0, mode: mode, round: 0, what: "it cannot be run here", trace: "none")]
        }
        // With minutes as many seeds as there is time for.
        let end = wish.minutes.map { Date().addingTimeInterval($0 * 60) }
        let repeats = end != nil ? Int.max : 1
        var seed = wish.seed ?? .random(in: 1...UInt64.max >> 1)
        var failures: [Failure] = []
        for _ in 0..<repeats {
            for mode in modes {
                if let end, Date() >= end { return failures }
                if let failure = check(seed, mode, shrinks: wish.shrinks) { failures.append(failure) }
            }
            seed += 1
            if failures.count >= failuresAtMost { break }
        }
        return failures
    }

    /// One run: nil where it held.
    private static func check(_ seed: UInt64, _ mode: Mode, shrinks: Bool) -> Failure? {
        let start = Date()
        do {
            let run = try Run(seed: seed, mode: mode)
            do throws(Failure) {
                try run.perform()
            } catch {
                say("\(error)")
                guard shrinks else { return error }
                var shrinker = Shrinker(seed: seed, mode: mode)
                guard let (steps, failure) = shrinker.shrink(run.effective, rounds: error.round + 1) else {
                    say("it does not fail each time")
                    return error
                }
                say("with \(steps.count) changes: \(failure)")
                return failure
            }
            let time = String(format: "%.1f", -start.timeIntervalSinceNow)
            say(
                "mode \(mode.rawValue), seed \(seed): held, \(time) s, \(run.resumes) resumed, \(run.freshStarts) fresh\(run.figures)"
            )
            return nil
        } catch {
            return Failure(seed: seed, mode: mode, round: 0, what: "\(error)", trace: "none")
        }
    }

    /// A line at once, also into a pipe.
    private static func say(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = write(STDOUT_FILENO, line, line.count)
    }
}
