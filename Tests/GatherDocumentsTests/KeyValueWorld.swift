// Machines that share a key-value store by replication, played in one process: random operations and their trace.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import GatherDocuments

/// Several machines, each with its directory and several processes. Replication copies whole files, older states too.
final class KeyValueWorld {
    private final class Machine {
        let scratch: ScratchDirectory
        let device: DeviceIdentifier
        var skew: Int64
        /// The states of the machine's own files, with the operations after which they were there.
        var history: [String: [(operation: Int, bytes: [UInt8])]] = [:]

        init(_ device: String, skew: Int64) throws {
            scratch = try ScratchDirectory()
            self.device = try #require(DeviceIdentifier(text: device, name: "test"))
            self.skew = skew
        }

        var ownNames: [String] { scratch.names.filter { $0.hasPrefix(device.text) && KeyValueFileName($0) != nil } }
    }

    private struct Process {
        let machine: Int
        let store: KeyValueStore
    }

    private static let skews: [Int64] = [0, 0, 0, -5_000, 7_000, 3_600_000, 1_000_000_000_000, -4_000_000_000_000]

    private var random: SeededGenerator
    private var machines: [Machine] = []
    private var processes: [Int: Process] = [:]
    private var lastProcess = -1
    private var lastValue = 0
    private var now: Int64 = 1_700_000_000_000
    private let clock = Clock()
    private(set) var trace: [String] = []
    private(set) var expectations = 0
    /// The number of the first line in the traces of all worlds that the oracle reads.
    private let firstLine: Int

    private final class Clock: @unchecked Sendable {
        // Only the thread of the trial uses it.
        var now: Int64 = 0
    }

    init(seed: UInt64, firstLine: Int) throws {
        random = SeededGenerator(seed: seed)
        self.firstLine = firstLine
        note("trial \(seed)")
        for number in 0..<Int.random(in: 2...4, using: &random) {
            let device = DeviceIdentifier.text(ofHash: random.next())
            machines.append(try Machine(device, skew: KeyValueWorld.skews.randomElement(using: &random) ?? 0))
            note("machine \(number) \(device)")
        }
    }

    private func note(_ line: String) { trace.append(line) }

    /// Plays random operations, and then replicates everything. Returns the dictionaries of all processes.
    func play() throws -> [[String: KeyValue]] {
        for _ in 0..<Int.random(in: 5...60, using: &random) { try step() }
        for number in machines.indices where !processes.values.contains(where: { $0.machine == number }) {
            try open(on: number)
        }
        for _ in 0..<2 {
            for process in processes.keys.sorted() { try synchronize(process) }
            for source in machines.indices {
                for name in machines[source].ownNames {
                    for target in machines.indices where target != source {
                        try copy(name, from: source, to: target, as: name, latest: true)
                    }
                }
            }
        }
        for process in processes.keys.sorted() { try synchronize(process) }
        return processes.values.map { $0.store.dictionary }
    }

    private func step() throws {
        now += [0, 0, 1, 5, 1_000, 100_000].randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<8: try open(on: machines.indices.randomElement(using: &random) ?? 0)
        case 8..<45: try set()
        case 45..<65: try randomProcess().map(synchronize)
        case 65..<70: try randomProcess().map { try end($0, closes: false) }
        case 70..<73: try randomProcess().map { try end($0, closes: true) }
        case 73..<90: try replicate()
        case 90..<92: try damage()
        case 92..<94: try remove()
        case 94..<96: try fold()
        case 96..<98: leaveTemporaryFile()
        case 98: try removeHeld()
        default:
            let machine = machines.randomElement(using: &random)
            machine?.skew = KeyValueWorld.skews.randomElement(using: &random) ?? 0
        }
    }

    private func randomProcess() -> Int? { processes.keys.sorted().randomElement(using: &random) }

    private func open(on number: Int) throws {
        guard processes.count < 8 else { return }
        let clock = clock
        let store = try KeyValueStore(
            directory: FilePath(machines[number].scratch.path), device: machines[number].device,
            settings: KeyValueSettings(autosaveDelay: nil, now: { clock.now }))
        try store.readFiles()
        lastProcess += 1
        processes[lastProcess] = Process(machine: number, store: store)
        note("open \(lastProcess) \(number)")
        expect(lastProcess)
    }

    private func set() throws {
        guard let number = randomProcess(), let process = processes[number] else { return }
        let key = ["a", "b", "c", "d", "e"].randomElement(using: &random) ?? "a"
        clock.now = now + machines[process.machine].skew
        if Int.random(in: 0..<5, using: &random) == 0 {
            try process.store.removeValue(forKey: key)
            note("set \(number) \(key) - \(clock.now)")
        } else {
            lastValue += 1
            try process.store.set(.string("v\(lastValue)"), forKey: key)
            note("set \(number) \(key) v\(lastValue) \(clock.now)")
        }
        expect(number)
    }

    private func synchronize(_ number: Int) throws {
        try processes[number]?.store.synchronizeFiles()
        note("sync \(number)")
        record()
        expect(number)
    }

    private func end(_ number: Int, closes: Bool) throws {
        if closes { try processes[number]?.store.closeFiles() }
        processes[number] = nil
        note("\(closes ? "close" : "kill") \(number)")
        record()
    }

    private func replicate() throws {
        guard let source = machines.indices.randomElement(using: &random),
            let target = machines.indices.randomElement(using: &random), source != target,
            let name = machines[source].history.keys.sorted().randomElement(using: &random)
        else { return }
        let isConflict = Int.random(in: 0..<8, using: &random) == 0
        let conflict = "\(name.dropLast(10)).sync-conflict-20261125-1405\(10 + lastValue % 50)-ABCDEFG.keyvalues"
        try copy(
            name, from: source, to: target, as: isConflict ? conflict : name, latest: Bool.random(using: &random))
    }

    private func copy(_ name: String, from source: Int, to target: Int, as new: String, latest: Bool) throws {
        let states = machines[source].history[name] ?? []
        guard let state = latest ? states.last : states.randomElement(using: &random) else { return }
        try machines[target].scratch.replace(new, with: state.bytes)
        note("copy \(source) \(name) \(state.operation) \(target) \(new)")
    }

    /// A file of another machine that arrived in part.
    private func damage() throws {
        guard let target = machines.indices.randomElement(using: &random),
            let name = foreignNames(on: target).randomElement(using: &random)
        else { return }
        let bytes = try machines[target].scratch.read(name)
        let length = Int.random(in: 0..<max(bytes.count, 1), using: &random)
        try machines[target].scratch.replace(name, with: Array(bytes.prefix(length)))
        note("damage \(target) \(name)")
    }

    /// A file of another machine that replication removes, since a third one has folded the device in.
    private func remove() throws {
        guard let target = machines.indices.randomElement(using: &random),
            let name = foreignNames(on: target).randomElement(using: &random)
        else { return }
        try machines[target].scratch.remove(name)
        note("remove \(target) \(name)")
    }

    /// The file of a running process that replication removes. Another process may take its slot before it writes again.
    private func removeHeld() throws {
        guard let number = randomProcess(), let process = processes[number],
            let name = process.store.files.withLock({ $0.slot?.name.text }),
            machines[process.machine].scratch.names.contains(name)
        else { return }
        try machines[process.machine].scratch.remove(name)
        note("remove \(process.machine) \(name)")
        let others = processes.keys.filter { $0 != number && processes[$0]?.machine == process.machine }.sorted()
        if let other = others.randomElement(using: &random) { try synchronize(other) }
        try synchronize(number)
    }

    private func foreignNames(on number: Int) -> [String] {
        machines[number].scratch.names.filter {
            KeyValueFileName($0).map { $0.device != machines[number].device.text } ?? false
        }
    }

    private func fold() throws {
        guard let number = randomProcess(), let process = processes[number],
            let device = machines.randomElement(using: &random)?.device, device != machines[process.machine].device
        else { return }
        do throws(DocumentError) {
            try process.store.foldInFiles(of: device.text)
        } catch {
            guard error.code == .unreadable else { throw error }
        }
        note("fold \(number) \(device.text)")
        record()
        expect(number)
    }

    private func leaveTemporaryFile() {
        guard let machine = machines.randomElement(using: &random) else { return }
        let name = KeyValueFileName(device: machine.device.text, slot: Int.random(in: 0..<2, using: &random))
        if !machine.scratch.names.contains(name.temporary) {
            try? machine.scratch.write(Array("half a file".utf8), to: name.temporary)
        }
    }

    /// Notes the states of all files that machines wrote themselves.
    private func record() {
        for machine in machines {
            for name in machine.ownNames {
                guard let bytes = try? machine.scratch.read(name), machine.history[name]?.last?.bytes != bytes else {
                    continue
                }
                machine.history[name, default: []].append((firstLine + trace.count - 1, bytes))
            }
        }
    }

    private func expect(_ number: Int) {
        guard let process = processes[number] else { return }
        let pairs = process.store.dictionary.sorted { $0.key < $1.key }.map { key, value in
            if case .string(let text) = value { return "\(key)=\(text)" }
            return "\(key)=?"
        }
        note("expect \(number) \(pairs.joined(separator: ","))")
        expectations += 1
    }
}
