// Containers are found by identifier and number, and know which other ones lie around them.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Testing

@testable import GatherService

struct ContainerSetTests {
    /// A set with containers at these paths.
    private func containers(_ paths: KeyValuePairs<String, String>) throws -> ContainerSet {
        var containers = ContainerSet()
        for (identifier, path) in paths {
            let configuration = try ContainerConfiguration(identifier: identifier, path: path, origin: .runtime)
            containers.insert(ContainerRecord(number: containers.makeNumber(), configuration: configuration))
        }
        return containers
    }

    @Test func identifiersGiveTheOrder() throws {
        var containers = try containers(["b": "/none/b", "c": "/none/c", "a": "/none/a"])
        #expect(containers.map(\.identifier) == ["a", "b", "c"])
        #expect(containers.map(\.number) == [3, 1, 2])
        let record = try #require(containers.named("b"))
        #expect(containers.numbered(1) === record && containers.contains(record))
        containers.remove(record)
        #expect(containers.named("b") == nil && containers.numbered(1) == nil && !containers.contains(record))
        #expect(containers.makeNumber() == 4, "no number is used twice")
    }

    @Test func theNearestContainerAroundCounts() throws {
        let containers = try containers([
            "outer": "/none", "inner": "/none/x/y", "middle": "/none/x", "beside": "/nonetheless",
        ])
        let outer = try #require(containers.named("outer"))
        #expect(containers.below(outer).map(\.identifier) == ["inner", "middle"])
        #expect(containers.enclosure(of: outer) == nil)
        let inner = try #require(containers.named("inner"))
        #expect(containers.enclosure(of: inner)?.directories == ["/none/x/y"])
        #expect(containers.enclosure(of: inner)?.reason.contains("'middle'") == true)
    }

    @Test func sessionsHaveNumbersOfTheirOwn() {
        var containers = ContainerSet()
        #expect([containers.makeSessionNumber(), containers.makeSessionNumber()] == [1, 2])
        #expect(containers.synced(in: 1) == nil, "no helper is there")
    }
}
