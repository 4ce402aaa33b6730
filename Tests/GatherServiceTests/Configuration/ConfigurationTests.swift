// Configuration files: the settings that are read, and the refusal of a wrong file with file, line and key.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Logging
import Metadata
import MetadataIndex
import SystemPackage
import Testing

@testable import GatherService

@Suite struct ConfigurationTests {
    /// Writes files into a fresh directory, loads, and removes the directory.
    private func load(_ files: [String: String]) throws -> DaemonConfiguration {
        let directory = try TemporaryDirectory()
        for (name, text) in files { try directory.write(text, to: name) }
        return try ConfigurationLoader.load(file: directory.path + "/gatherd.toml", required: true)
    }

    private func refusal(_ files: [String: String]) -> ConfigurationError? {
        do {
            _ = try load(files)
            return nil
        } catch { return error as? ConfigurationError }
    }

    @Test func emptyFileMeansDefaults() throws {
        #expect(try load(["gatherd.toml": ""]) == DaemonConfiguration())
    }

    @Test func everyKey() throws {
        let configuration = try load([
            "gatherd.toml": """
            socket-group = "staff"
            watch-share = 0.5
            poll-interval = "500ms"
            snapshot-interval = "2h"
            audit-interval = "2d"
            audit-share = 0.05
            log-level = "debug"
            """,
            "containers.d/grocery.toml":
                "path = \"/srv//grocery/\"\npackages = [\"gro\"]\nignore = [\".git\", \"*.tmp\"]\n",
            "containers.d/org.example.toml": "path = \"/srv/other\"\n",
            "containers.d/notes.txt": "this is no container",
        ])
        #expect(configuration.socketGroup == "staff")
        #expect(configuration.watchShare == 0.5)
        #expect(configuration.pollInterval == 500_000_000)
        #expect(configuration.snapshotInterval == 7_200_000_000_000)
        #expect(configuration.auditInterval == 2 * 86_400_000_000_000)
        #expect(configuration.auditShare == 0.05)
        #expect(configuration.logLevel == .debug)
        #expect(configuration.containers.map(\.identifier) == ["grocery", "org.example"])
        #expect(configuration.containers[0].path == "/srv/grocery")
        #expect(configuration.containers[0].packages == ["gro"])
        #expect(configuration.containers[0].ignore == [".git", "*.tmp"])
    }

    @Test func theAuditCanBeOff() throws {
        #expect(try load(["gatherd.toml": "audit-interval = \"0\""]).auditInterval == 0)
        #expect(DaemonConfiguration().auditInterval == 86_400_000_000_000)
        #expect(DaemonConfiguration().auditShare == 0.01)
    }

    @Test(arguments: [
        ("socket-group = 3", 1, "socket-group"),
        ("\nwatch-share = 1.5", 2, "watch-share"),
        ("poll-interval = \"soon\"", 1, "poll-interval"),
        ("poll-interval = \"0s\"", 1, "poll-interval"),
        ("poll-interval = \"99999999999999999999s\"", 1, "poll-interval"),
        ("snapshot-interval = \"0\"", 1, "snapshot-interval"),
        ("audit-interval = \"never\"", 1, "audit-interval"),
        ("audit-share = 0", 1, "audit-share"),
        ("audit-share = 1.1", 1, "audit-share"),
        ("# comment\n\nlog-level = \"loud\"", 3, "log-level"),
        ("socket-grp = \"x\"", 1, "socket-grp"),
        ("[table]\nx = 1", 1, "table"),
        ("watch-share = ", 1, ""),
    ])
    func wrongFiles(text: String, line: Int, word: String) {
        let error = refusal(["gatherd.toml": text])
        #expect(error?.line == line)
        #expect(error?.file.hasSuffix("/gatherd.toml") == true)
        #expect(error?.message.contains(word) == true || word.isEmpty)
    }

    @Test(arguments: [
        ("a.toml", "packages = []", "'path' is missing"),
        ("a.toml", "path = \"relative\"", "write an absolute path"),
        ("a.toml", "path = \"/srv/../etc\"", "'..'"),
        ("a b.toml", "path = \"/srv\"", "identifier"),
        ("-a.toml", "path = \"/srv\"", "identifier"),
        ("a.toml", "path = \"/srv\"\npackages = [\".gro\"]", "extension"),
        ("a.toml", "path = \"/srv\"\nignore = [\"a/b\"]", "glob"),
        ("a.toml", "path = \"/srv\"\nignore = \"x\"", "ignore"),
        ("a.toml", "path = \"/srv\"\ncolour = 1", "unknown key 'colour'"),
    ])
    func wrongContainers(name: String, text: String, words: String) {
        let error = refusal(["gatherd.toml": "", "containers.d/\(name)": text])
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test func filesAreBounded() {
        let most = "#" + String(repeating: "x", count: Limits.configurationBytes - 1)
        #expect(refusal(["gatherd.toml": most]) == nil)
        for name in ["gatherd.toml", "containers.d/a.toml"] {
            let error = refusal(["gatherd.toml": ""].merging([name: most + "x"]) { $1 })
            #expect(error?.file.hasSuffix(name) == true)
            #expect(error?.message == "is larger than \(Limits.configurationBytes) bytes")
        }
    }

    /// The description that is saved with the index of one has to fit there.
    @Test func containersHaveAMost() throws {
        func container(_ count: Int) throws -> ContainerConfiguration {
            let ignore = (0..<count).map { _ in String(repeating: "x", count: 1_023) }
            return try ContainerConfiguration(
                identifier: "a", path: "/x" + String(repeating: "y", count: 1_021), ignore: ignore, origin: .runtime)
        }
        let most = try container(63)
        let ancestorAccess = [UInt8](repeating: 0xFF, count: SavedAncestorAccess.largest)
        let description = SnapshotDescription(
            sequence: JournalFormat.largestNumber, segment: JournalFormat.largestNumber,
            time: Timestamp(nanoseconds: .min), configuration: most,
            isMountPoint: true, accessChanged: .max, ancestorAccess: ancestorAccess)
        #expect(description.bytes.count <= SnapshotWriter.largestAttachment)
        #expect(SnapshotDescription(description.bytes) == description)
        #expect {
            try container(64)
        } throws: { error in
            (error as? InvalidContainer)?.message
                == "its path, packages and ignore have more than 65536 bytes together"
        }
        let list = (0..<70).map { _ in "\"\(String(repeating: "x", count: 1_000))\"" }.joined(separator: ",")
        let error = refusal(["gatherd.toml": "", "containers.d/a.toml": "path = \"/srv\"\nignore = [\(list)]"])
        #expect(error?.file.hasSuffix("a.toml") == true && error?.message.contains("65536 bytes") == true)
    }

    /// A container that is added at run time can be read again at the next start, or is refused.
    @Test func containersAddedAtRunTimeCanBeRead() throws {
        let directory = try TemporaryDirectory()
        let runtime = RuntimeContainers(stateDirectory: directory.path)
        func container(_ number: Int) throws -> ContainerConfiguration {
            try ContainerConfiguration(
                identifier: "c\(number)", path: "/x\(number)", ignore: [String(repeating: "x", count: 60_000)],
                origin: .runtime)
        }
        let most = try (0..<17).map(container)
        try runtime.save(most)
        #expect(try runtime.load().count == 17)
        #expect {
            try runtime.save(most + [container(17)])
        } throws: { error in
            (error as? ConfigurationError)?.message.contains("would be larger than 1048576 bytes") == true
        }
        #expect(try runtime.load().count == 17)
    }

    @Test func identifiersAreBounded() throws {
        let most = String(repeating: "a", count: Limits.identifierBytes)
        #expect(try ContainerConfiguration(identifier: most, path: "/srv", origin: .runtime).identifier == most)
        #expect {
            try ContainerConfiguration(identifier: most + "a", path: "/srv", origin: .runtime)
        } throws: { error in
            (error as? InvalidContainer)?.message == "an identifier has at most 255 bytes"
        }
    }

    @Test func containersAreBounded() throws {
        func container(_ number: Int) throws -> ContainerConfiguration {
            try ContainerConfiguration(identifier: "c\(number)", path: "/nonexistent/\(number)", origin: .argument)
        }
        var configuration = DaemonConfiguration()
        for number in 0..<Limits.containers {
            try ConfigurationLoader.add(container(number), to: &configuration, from: "a file")
        }
        #expect(configuration.containers.count == Limits.containers)
        #expect(throws: ConfigurationError(file: "a file", message: "more than \(Limits.containers) containers")) {
            try ConfigurationLoader.add(container(Limits.containers), to: &configuration, from: "a file")
        }
        #expect(configuration.containers.count == Limits.containers)
    }

    @Test func missingFile() {
        #expect(throws: ConfigurationError.self) {
            try ConfigurationLoader.load(file: "/nonexistent/gatherd.toml", required: true)
        }
        #expect(throws: Never.self) { try ConfigurationLoader.load(file: "/nonexistent/gatherd.toml", required: false) }
    }

    @Test func twoContainersOfOnePath() {
        let error = refusal([
            "gatherd.toml": "", "containers.d/a.toml": "path = \"/srv/x\"",
            "containers.d/b.toml": "path = \"/srv/x/.\"",
        ])
        #expect(error?.message.contains("overlaps") == true)
    }

    /// A file system that is mounted within a container is no part of it.
    @Test func aContainerOnAMountPointOfAnother() throws {
        func place(_ identifier: String, _ path: String) throws -> ContainerPlace {
            ContainerPlace(try ContainerConfiguration(identifier: identifier, path: path, origin: .argument))
        }
        let (outer, mounted) = (try place("a", "/"), try place("b", "/proc/sys"))
        let (within, plain) = (try place("c", "/proc/sys/fs"), try place("d", "/nonexistent"))
        #expect(!outer.overlaps(mounted) && !mounted.overlaps(outer))
        #expect(outer.overlaps(plain) && plain.overlaps(outer))
        #expect(mounted.overlaps(within) && within.overlaps(mounted))
    }

    @Test func placesOfTheSystemAndOfAUser() {
        let system = DaemonPaths(userID: 0, environment: [:])
        #expect(system.socket == "/run/gatherd/io.gatherd")
        #expect(system.configuration == "/etc/gatherd/gatherd.toml")
        #expect(system.stateDirectory == "/var/lib/gatherd")
        let user = DaemonPaths(userID: 1000, environment: ["HOME": "/home/ana", "XDG_RUNTIME_DIR": "/run/user/1000"])
        #expect(user.socket == "/run/user/1000/gatherd/io.gatherd")
        #expect(user.configuration == "/home/ana/.config/gatherd/gatherd.toml")
        #expect(user.stateDirectory == "/home/ana/.local/state/gatherd")
        // As after su(1), where no session made a directory.
        let without = DaemonPaths(userID: 1000, environment: ["HOME": "/home/ana"]) { _ in false }
        #expect(without.socket == "/home/ana/.local/state/gatherd/io.gatherd" && without.runtimeDirectory == nil)
        let session = DaemonPaths(userID: 1000, environment: ["HOME": "/home/ana"]) { $0 == "/run/user/1000" }
        #expect(session.socket == "/run/user/1000/gatherd/io.gatherd" && session.runtimeDirectory?.origin == .session)
        let unit = DaemonPaths(userID: 999, environment: ["STATE_DIRECTORY": "/var/lib/gatherd:/x", "HOME": "/"])
        #expect(unit.stateDirectory == "/var/lib/gatherd")
        #expect(DaemonPaths(userID: 1000, environment: [:]).stateDirectory == "/.local/state/gatherd")
    }
}
