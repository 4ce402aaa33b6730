// Directories with and without marks come to a container's path at random, beside a model of which one is the container's.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LinuxSystem
import Metadata
import TestSupport
import Testing

@testable import GatherService

@Suite struct MarkedContainerRandomTests {
    private static let seeds = TestLength.seeds(4, long: 40)
    private static let runs = 4
    private static let steps = 25

    /// The directories by number: which one is at the path, nil for none, and their marks.
    private struct Model {
        var present: Int? = 0
        var marks: [ContainerToken?]
        var own = 0
        var mark: ContainerToken?

        /// Looks at the path, as the daemon does after each change. Returns whether the container is available.
        mutating func look() -> Bool {
            guard let present else { return false }
            guard mark == nil || own == present else { return false }
            (own, mark) = (present, marks[present] ?? (own == present ? mark : nil))
            return true
        }

        /// Returns whether there is a directory to accept.
        mutating func accept() -> Bool {
            guard let present else { return false }
            if !look() { (own, mark) = (present, marks[present]) }
            return true
        }
    }

    @Test(.enabled(if: MarkedContainerTests.keepsIdentities), arguments: seeds)
    func onlyTheContainersOwnDirectoryIsTaken(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let tokens = [ContainerToken.random(), .random()]
        var model = Model(marks: [nil, nil, tokens[0], tokens[1], tokens[0]])
        for number in model.marks.indices {
            try directory.write("", to: "d\(number)/of\(number)")
            try mark(directory.path + "/d\(number)", model.marks[number], directory)
        }
        #expect(rename(directory.path + "/d0", directory.path + "/tree") == 0)
        for run in 0..<Self.runs {
            try await DaemonFixture.run(directory: directory) { daemon in
                try await check(&model, daemon, "seed \(seed), start \(run)")
                for step in 0..<Self.steps {
                    let done = try await change(&model, directory, tokens, daemon, using: &random)
                    try await check(&model, daemon, "seed \(seed), run \(run), step \(step): \(done)")
                }
            }
            // Something may come to the path while no daemon runs. The fixture would make a missing one.
            while model.present == nil || Bool.random(using: &random) {
                try exchange(&model, directory, using: &random)
            }
        }
    }

    private func check(_ model: inout Model, _ daemon: DaemonFixture, _ context: String) async throws {
        let isAvailable = model.look()
        let names = try await daemon.find("name BEGINSWITH 'of'")
        let container = try await daemon.call(ContainerInterface.Get.self, .init(identifier: "tree")).container
        #expect(container.state == (isAvailable ? .live : .unavailable), "\(context): \(container.reason ?? "")")
        #expect(names == (isAvailable ? model.present.map { ["of\($0)"] } ?? [] : []), "\(context)")
    }

    private func mark(_ path: String, _ token: ContainerToken?, _ directory: TemporaryDirectory) throws {
        let place = path.dropFirst(directory.path.count + 1)
        if let token {
            try directory.write("\(token)\n", to: "\(place)/.gather/container")
        } else {
            unlink(path + "/.gather/container")
        }
    }

    private func exchange(
        _ model: inout Model, _ directory: TemporaryDirectory, using random: inout SeededGenerator
    ) throws {
        let next = Int.random(in: model.marks.indices, using: &random)
        guard next != model.present else { return }
        if let present = model.present {
            try Entry.rename(directory.path + "/tree", to: directory.path + "/d\(next)", mode: .exchange)
            #expect(rename(directory.path + "/d\(next)", directory.path + "/d\(present)") == 0)
        } else {
            #expect(rename(directory.path + "/d\(next)", directory.path + "/tree") == 0)
        }
        model.present = next
    }

    private func change(
        _ model: inout Model, _ directory: TemporaryDirectory, _ tokens: [ContainerToken], _ daemon: DaemonFixture,
        using random: inout SeededGenerator
    ) async throws -> String {
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<4:
            try exchange(&model, directory, using: &random)
            return "d\(model.present ?? -1) comes"
        case 4:
            guard let present = model.present else { return "nothing" }
            #expect(rename(daemon.tree, directory.path + "/d\(present)") == 0)
            model.present = nil
            return "d\(present) goes"
        case 5:
            guard let present = model.present else { return "nothing" }
            model.marks[present] = (tokens + [nil]).randomElement(using: &random) ?? nil
            try mark(daemon.tree, model.marks[present], directory)
            return "d\(present) has the mark \(model.marks[present]?.text ?? "none")"
        default:
            let isThere = model.accept()
            let request = ContainerInterface.Accept.Request(identifier: "tree")
            let reply = try? await daemon.call(ContainerInterface.Accept.self, request)
            #expect((reply != nil) == isThere)
            return "accept"
        }
    }
}
