// Users who want nothing but to be served, while a caller asks too much.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import LiveQueries
import NIOCore
import Testing
import Varlink

@testable import GatherService

/// A subscriber and a caller who want nothing but to be served.
final class Bystanders {
    /// A name over which a regular expression goes back and forth for long, and of which few fill a batch.
    static let longName = String(repeating: "a", count: 200)

    private let daemon: DaemonFixture
    private let subscriber: Subscriber
    private var number = 0

    init(_ daemon: DaemonFixture) async throws {
        self.daemon = daemon
        subscriber = try await Subscriber(daemon, .init(predicate: "name LIKE 'Good_*'"))
        try await subscriber.gather()
    }

    /// Makes a change: the subscriber hears of it and of nothing else, and an answer has it.
    func areServed() async throws {
        number += 1
        try daemon.directory.write("x", to: "tree/Good_\(number)")
        while subscriber.items.count < number { try await subscriber.next() }
        let names = (1...number).map { "Good_\($0)" }.sorted()
        #expect(subscriber.items.values.map { String($0.dropFirst(daemon.tree.count + 1)) }.sorted() == names)
        #expect(subscriber.violations.isEmpty)
        #expect(try await daemon.find("name LIKE 'Good_*'") == names)
    }

    func close() async { await subscriber.close() }

    /// Runs a daemon whose bystanders are served before, at will, and afterwards.
    static func run(
        limits: ServiceLimits = ServiceLimits(), prepare: (TemporaryDirectory) throws -> Void = { _ in },
        _ body: (DaemonFixture, _ areServed: () async throws -> Void) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try prepare(directory)
        try await DaemonFixture.run(directory: directory, limits: limits) { daemon in
            let bystanders = try await Bystanders(daemon)
            try await bystanders.areServed()
            try await body(daemon) { try await bystanders.areServed() }
            try await bystanders.areServed()
            await bystanders.close()
        }
    }
}
