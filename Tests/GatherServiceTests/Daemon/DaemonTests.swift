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

    /// A drop-in that overlaps something in force is refused, with everything else that is read with it.
    @Test func reloadRefusesOverlaps() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "gatherd.toml")
        try directory.write("", to: "one/in/a")
        try directory.write("", to: "two/in/b")
        let (one, two) = (directory.path + "/one", directory.path + "/two")
        try directory.write("path = \"\(one)\"\n", to: "containers.d/one.toml")
        try await DaemonFixture.run(containers: [:], directory: directory) { daemon in
            func expectRefusal(of name: String, at path: String, _ part: String) async throws {
                try directory.write("packages = []\npath = \"\(path)\"\n", to: "containers.d/\(name).toml")
                do {
                    _ = try await daemon.call(ServiceInterface.Reload.self, .init())
                    Issue.record("\(name) at \(path) was taken")
                } catch VarlinkClientError.error(let error) {
                    guard case .invalidConfiguration(let file, let line, let message)? = ServiceError(error) else {
                        Issue.record("\(error)")
                        return
                    }
                    #expect(file == directory.path + "/containers.d/\(name).toml")
                    #expect(line == 2)
                    #expect(message.contains(part), "\(message)")
                }
                let containers = try await daemon.call(ContainerInterface.List.self, .init()).containers
                #expect(containers.map(\.identifier) == ["one", "two"])
                #expect(containers.map(\.state) == [.live, .live])
                #expect(try await daemon.find("kind == 'file'").count == 2)
                #expect(unlink(directory.path + "/containers.d/\(name).toml") == 0)
            }
            let request = ContainerInterface.Add.Request(identifier: "two", path: two, packages: [], ignore: [])
            _ = try await daemon.call(ContainerInterface.Add.self, request)
            // Before and after the other one in the order of their names.
            for name in ["a", "z"] {
                try await expectRefusal(of: name, at: two, "overlaps 'two' at \(two), which was added at run time")
                try await expectRefusal(of: name, at: two + "/in", "'gather container remove two'")
                try await expectRefusal(of: name, at: directory.path + "/state/saved", "saves its own state")
            }
            try await expectRefusal(of: "z", at: one, "overlaps 'one' at \(one)")
            try await expectRefusal(of: "z", at: one + "/in", "overlaps 'one' at \(one)")
            try await expectRefusal(of: "z", at: directory.path, "overlaps 'one' at \(one)")
            // With its own name, a file takes a container over.
            try directory.write("path = \"\(two)\"\n", to: "containers.d/two.toml")
            _ = try await daemon.call(ServiceInterface.Reload.self, .init())
            let origins = try await daemon.call(ContainerInterface.List.self, .init()).containers.map(\.origin)
            #expect(origins == ["one", "two"].map { "\(directory.path)/containers.d/\($0).toml" })
        }
    }

    @Test func containersThatWereNamedAlikeGoOn() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "gatherd.toml")
        for name in ["one", "ONE", "two"] {
            try directory.write("", to: "\(name)/a")
            if name != "two" {
                try directory.write("path = \"\(directory.path)/\(name)\"\n", to: "containers.d/\(name).toml")
            }
        }
        try await DaemonFixture.run(containers: [:], directory: directory) { daemon in
            func reload() async throws -> String? {
                do {
                    _ = try await daemon.call(ServiceInterface.Reload.self, .init())
                    return nil
                } catch VarlinkClientError.error(let error) {
                    return ServiceError(error).map { "\($0)" } ?? "\(error)"
                }
            }
            func names() async throws -> Set<String> {
                Set(try await daemon.call(ContainerInterface.List.self, .init()).containers.map(\.identifier))
            }
            #expect(try await names() == ["one", "ONE"])
            // Each may change.
            try directory.write(
                "packages = [\"x\"]\npath = \"\(directory.path)/ONE\"\n", to: "containers.d/ONE.toml")
            #expect(try await reload() == nil)
            // A third one does not come.
            try directory.write("path = \"\(directory.path)/two\"\n", to: "containers.d/One.toml")
            let refusal = try await reload()
            #expect(refusal?.contains("/containers.d/One.toml") == true, "\(refusal ?? "it was taken")")
            #expect(refusal?.contains("at \(directory.path)/ONE in upper and lower case alone") == true)
            #expect(try await names() == ["one", "ONE"])
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

            // A wrong file is refused with its place, and the running containers go on.
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
            // A file that comes before the first crawl may have no event.
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
