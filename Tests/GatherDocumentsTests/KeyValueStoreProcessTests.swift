// Separate processes on one directory, killed at random.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@testable import GatherDocuments

@Suite(.serialized)
struct KeyValueStoreProcessTests {
    private static let variable = "GATHER_TEST_KEY_VALUE_WORKER"
    private static let seed: UInt64 = 4

    /// A process of its own: sets a key again and again, and prints each number that `synchronize()` returned for.
    @Test(.enabled(if: getenv(variable) != nil)) func worker() async throws {
        let arguments = try #require(getenv(Self.variable).map { String(cString: $0) }).split(separator: " ")
        let (directory, key) = (String(arguments[0]), String(arguments[1]))
        let store = try await KeyValueStore(directory: FilePath(directory), followingThrough: nil)
        for number in 1...Int64(100_000) {
            try store.set(.integer(number), forKey: key)
            try store.set(.string(key), forKey: "shared")
            try await store.synchronize()
            let line = Array("synchronized \(number)\n".utf8)
            guard write(STDOUT_FILENO, line, line.count) == line.count else { return }
        }
    }

    /// `isRefused`: on a file system that locks no files by flock(2).
    @Test(arguments: RefusedCalls.arePossible ? [false, true] : [false])
    func `Nothing that was synchronized is gone after kills`(isRefused: Bool) async throws {
        let scratch = try ScratchDirectory()
        mkdir(scratch.path + "/store", 0o755)
        let found = try await withThrowingTaskGroup(of: [String: Int64].self) { group in
            for number in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: Self.seed, number)
                    var acknowledged: [String: Int64] = [:]
                    for life in 0..<4 {
                        let key = "worker \(number) \(life)".replacing(" ", with: "-")
                        let last = try await Self.run(
                            key, in: scratch, lines: Int.random(in: 1...60, using: &random), isRefused: isRefused)
                        acknowledged[key] = last
                    }
                    return acknowledged
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { $1 } }
        }
        let device = try #require(DeviceIdentifier(text: "TTTTTTT", name: "test"))
        let store = try KeyValueStore(
            directory: FilePath(scratch.path + "/store"), device: device, settings: KeyValueSettings(autosaveDelay: nil)
        )
        try store.readFiles()
        #expect(store.problems.isEmpty)
        #expect(found.count == 16)
        for (key, number) in found {
            #expect((store.integer(forKey: key) ?? 0) >= number, "seed \(Self.seed): \(key)")
        }
        #expect(store.string(forKey: "shared") != nil)
        // Each of four processes takes a slot. A process may pass a slot by while its file is being replaced.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: scratch.path + "/store")) ?? []
        #expect(names.filter { KeyValueFileName($0) != nil }.count <= 8)
    }

    /// Runs a worker, kills it after so many lines, and returns the last number that it printed.
    private static func run(
        _ key: String, in scratch: ScratchDirectory, lines: Int, isRefused: Bool
    ) async throws -> Int64 {
        let program = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? "/proc/self/exe"
        var start = (
            program: URL(filePath: program).resolvingSymlinksInPath().path(),
            arguments: ["--testing-library", "swift-testing", "--filter", "KeyValueStoreProcessTests/worker"]
        )
        if isRefused { start = RefusedCalls.around(start.program, start.arguments) }
        let worker = ChildProcess(
            path: start.program, start.arguments,
            environment: [variable: "\(scratch.path)/store \(key)", "XDG_STATE_HOME": scratch.path + "/state"])
        var numbers: [Int64] = []
        while numbers.count < lines, let line = await worker.nextLine() {
            guard line.hasPrefix("synchronized ") else { continue }
            numbers.append(try #require(Int64(line.dropFirst("synchronized ".count))))
        }
        worker.kill(SIGKILL)
        // Lines that were printed before the kill count.
        let result = await worker.result()
        try #require(
            numbers.count == lines, "the worker ended: \(result.text.suffix(2_000))\(result.errors.suffix(2_000))")
        numbers += result.lines.filter { $0.hasPrefix("synchronized ") }
            .compactMap { Int64($0.dropFirst("synchronized ".count)) }
        return try #require(numbers.max())
    }
}
