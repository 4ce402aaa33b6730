// The daemon as a process would have it: its socket, its state directory, reloads.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Testing
import Varlink

@testable import GatherService

struct DaemonTests {
    @Test func theSocketIsForItsUserAlone() async throws {
        let directory = try TemporaryDirectory()
        try await DaemonFixture.run(directory: directory) { daemon in
            var status = stat()
            #expect(stat(daemon.socket, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(stat(directory.path + "/run", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
            #expect(stat(directory.path + "/state", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
        }
        #expect(!directory.exists("run/io.gatherd"), "a clean end removes the socket")
    }

    @Test func oneDaemonAStateDirectory() async throws {
        let directory = try TemporaryDirectory()
        try await DaemonFixture.run(directory: directory) { _ in
            await #expect(throws: ConfigurationError.self) {
                try await DaemonFixture.run(directory: directory) { _ in }
            }
        }
    }

    @Test func reload() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "gatherd.toml")
        try directory.write("", to: "one/a")
        try directory.write("", to: "two/b")
        try directory.write("path = \"\(directory.path)/one\"\n", to: "containers.d/one.toml")
        try await DaemonFixture.run(containers: [:], directory: directory) { daemon in
            func containers() async throws -> [String] {
                try await daemon.call(ContainerInterface.List.self, .init()).containers.map(\.identifier)
            }
            let subscriber = try await Subscriber(daemon, .init(predicate: "kind == 'file'"))
            try await subscriber.gather()
            #expect(subscriber.items.count == 1)
            try directory.write("path = \"\(directory.path)/two\"\n", to: "containers.d/two.toml")
            _ = try await daemon.call(ServiceInterface.Reload.self, .init())
            #expect(try await containers() == ["one", "two"])
            while subscriber.items.count < 2 { try await subscriber.next() }

            // What is wrong is refused with its place, and what runs goes on.
            try directory.write("pth = \"/x\"\n", to: "containers.d/two.toml")
            do {
                _ = try await daemon.call(ServiceInterface.Reload.self, .init())
                Issue.record("a wrong file was taken")
            } catch VarlinkClientError.error(let error) {
                #expect(ServiceError(error).map { "\($0)" }?.contains("two.toml") == true)
            }
            #expect(try await containers() == ["one", "two"])

            #expect(unlink(directory.path + "/containers.d/two.toml") == 0)
            _ = try await daemon.call(ServiceInterface.Reload.self, .init())
            #expect(try await containers() == ["one"])
            while subscriber.items.count > 1 { try await subscriber.next() }
            #expect(subscriber.violations.isEmpty)
            await subscriber.close()
        }
    }

    @Test func itSaysWhatItIs() async throws {
        try await DaemonFixture.run { daemon in
            // Of what comes before the first crawl there may be no event.
            #expect(try await daemon.find("").isEmpty)
            try daemon.directory.write("", to: "tree/a")
            #expect(try await daemon.find("") == ["a"])
            let status = try await daemon.call(ServiceInterface.Status.self, .init())
            #expect(status.pid == Int64(getpid()))
            #expect(status.items == 1)
            #expect(status.containers == 1)
            #expect(status.residentBytes > 0)
            #expect(status.eventsRead > 0)
            let attributes = try await daemon.call(QueryInterface.Attributes.self, .init()).attributes
            #expect(attributes.contains { $0.name == "tags" && $0.type == "strings" })
            let explained = try await daemon.call(QueryInterface.Explain.self, .init(predicate: "name like 'a*'"))
            #expect(explained.canonical == "name LIKE 'a*'")
            #expect(explained.attributes == ["name"])
            #expect(status.watches ?? 0 > 0 && status.watchLimit ?? .max >= status.watches ?? 0)
        }
    }

    @Test func noContainersIsAnAnswer() async throws {
        try await DaemonFixture.run(containers: [:]) { daemon in
            let found = try await daemon.find("")
            #expect(found.isEmpty)
            let list = try await daemon.call(ContainerInterface.List.self, .init())
            #expect(list.containers.isEmpty)
        }
    }
}
