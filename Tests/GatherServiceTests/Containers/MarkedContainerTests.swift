// Containers with a mark: no other directory that comes to their paths is taken for them.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import GatherProtocol
import Glibc
import LinuxSystem
import Metadata
import TestSupport
import Testing

@testable import GatherService

@Suite struct MarkedContainerTests {
    let directory: TemporaryDirectory
    let token = ContainerToken.random()

    init() throws {
        directory = try TemporaryDirectory()
        try directory.makeDirectory("tree")
        try directory.write("", to: "tree/own")
    }

    func mark(_ place: String, _ token: ContainerToken) throws {
        try directory.write("\(token)\n", to: "\(place)/.gather/container")
    }

    func exchange(_ one: String, _ other: String) throws {
        try Entry.rename("\(directory.path)/\(one)", to: "\(directory.path)/\(other)", mode: .exchange)
    }

    func container(_ daemon: DaemonFixture) async throws -> ContainerDescription {
        // An exact answer waits until the container was read.
        _ = try await daemon.find("")
        return try await daemon.call(ContainerInterface.Get.self, .init(identifier: "tree")).container
    }

    func expect(
        _ state: ContainerState, _ daemon: DaemonFixture, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let now = try await container(daemon)
        #expect(now.state == state, "\(now.reason ?? "")", sourceLocation: sourceLocation)
    }

    /// The names at the top, without the folder of the mark.
    func expect(
        _ names: [String], _ daemon: DaemonFixture, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await daemon.find("kind == 'file' AND depth == 1")
        #expect(found == names, sourceLocation: sourceLocation)
    }

    func accept(_ daemon: DaemonFixture) async throws -> ContainerDescription {
        try await daemon.call(ContainerInterface.Accept.self, .init(identifier: "tree")).container
    }

    func run(_ body: (DaemonFixture) async throws -> Void) async throws {
        try await DaemonFixture.run(directory: directory, body)
    }

    /// Makes a directory of this kind, which is not the container's own.
    func makeOther(_ kind: ContainerStranger) throws {
        switch kind {
        case .unmarked: try directory.write("", to: "other/foreign")
        case .another:
            try directory.write("", to: "other/foreign")
            try mark("other", .random())
        case .unreadable:
            try mark("other", token)
            #expect(chmod(directory.path + "/other/.gather/container", 0) == 0)
        case .copy: TemporaryDirectory.run("/bin/cp", "-a", directory.path + "/tree", directory.path + "/other")
        }
    }

    static let strangers: [ContainerStranger] =
        [.unmarked, .another] + (getuid() == 0 ? [] : [.unreadable]) + (keepsIdentities ? [.copy] : [])

    /// Whether the directory for temporary files has identities that last.
    static let keepsIdentities: Bool = {
        guard let directory = try? Directory.open("/tmp", access: .path),
            let type = try? Directory.fileSystemType(of: directory.number)
        else { return false }
        return FileSystemType(rawValue: type).keepsIdentities
    }()

    func names(in kind: ContainerStranger) -> [String] {
        switch kind {
        case .unmarked, .another: ["foreign"]
        case .unreadable: []
        case .copy: ["own"]
        }
    }

    @Test(arguments: strangers) func anotherDirectoryIsNotTaken(kind: ContainerStranger) async throws {
        try mark("tree", token)
        try makeOther(kind)
        try await run { daemon in
            let subscriber = try await Subscriber(daemon, .init(predicate: "name == 'own'", attributes: ["path"]))
            try await subscriber.gather()
            let identifier = try #require(subscriber.items.keys.first)
            try exchange("tree", "other")
            while !subscriber.items.isEmpty { try await subscriber.next() }
            let lost = try await container(daemon)
            #expect(lost.state == .unavailable)
            #expect(lost.reason == "\(kind.reason); 'gather container accept tree' takes it")
            // The mark that the container has, and not that of the other one.
            #expect(lost.mark == token.text)
            try await expect([], daemon)
            // The container's own comes back as it was.
            try exchange("tree", "other")
            while subscriber.items.isEmpty { try await subscriber.next() }
            #expect(subscriber.items.keys.first == identifier && subscriber.violations == [])
            try await expect(.live, daemon)
            await subscriber.close()
        }
    }

    @Test(arguments: strangers) func anotherDirectoryIsTakenByACall(kind: ContainerStranger) async throws {
        try mark("tree", token)
        try makeOther(kind)
        try await run { daemon in
            try await expect(.live, daemon)
            try exchange("tree", "other")
            try await expect(.unavailable, daemon)
            #expect(try await accept(daemon).state != .unavailable)
            try await expect(names(in: kind), daemon)
            try await expect(.live, daemon)
            // The former one is another directory now, and has a mark that the container does not have, if that has one.
            try exchange("tree", "other")
            try await expect([.unmarked, .unreadable].contains(kind) ? .live : .unavailable, daemon)
        }
    }

    @Test(arguments: ["the file", "the folder", "a folder of another name"])
    func aMarkThatIsMadeBesideTheDaemonCounts(way: String) async throws {
        try directory.makeDirectory("other")
        if way == "the file" { try directory.makeDirectory("tree/.gather") }
        if way == "a folder of another name" { try mark("new", token) }
        try await run { daemon in
            try await expect(.live, daemon)
            if way == "a folder of another name" {
                #expect(rename("\(directory.path)/new/.gather", "\(daemon.tree)/.gather") == 0)
            } else {
                try mark("tree", token)
            }
            _ = try await daemon.find("")
            try exchange("tree", "other")
            #expect(try await container(daemon).reason?.hasPrefix(ContainerStranger.unmarked.reason) == true)
        }
    }

    /// The daemon has not looked since the exchange.
    @Test func aCallTakesTheDirectoryThatIsThereNow() async throws {
        try mark("tree", token)
        try makeOther(.unmarked)
        try await run { daemon in
            try await expect(.live, daemon)
            #expect(try await container(daemon).mark == token.text)
            try exchange("tree", "other")
            let accepted = try await accept(daemon)
            #expect(accepted.state != .unavailable && accepted.mark == nil)
            try await expect(["foreign"], daemon)
        }
    }

    @Test func aContainerWithoutAMarkFollowsItsPath() async throws {
        try directory.write("", to: "other/foreign")
        try await run { daemon in
            try await expect(["own"], daemon)
            try exchange("tree", "other")
            try await expect(["foreign"], daemon)
            #expect(try await accept(daemon).state == .live)
        }
    }

    /// A file system may give its inode number to the new one.
    @Test func aDirectoryThatIsMadeAnewIsNotTaken() async throws {
        try mark("tree", token)
        try await run { daemon in
            try await expect(.live, daemon)
            for name in ["own", ".gather/container"] { #expect(unlink("\(daemon.tree)/\(name)") == 0) }
            try await expect([], daemon)
            #expect(rmdir("\(daemon.tree)/.gather") == 0 && rmdir(daemon.tree) == 0)
            try directory.makeDirectory("tree")
            try await expect(.unavailable, daemon)
        }
    }

    @Test func theMarkAloneMayGoAndComeBack() async throws {
        try mark("tree", token)
        try directory.makeDirectory("other")
        try await run { daemon in
            try await expect(.live, daemon)
            #expect(unlink("\(daemon.tree)/.gather/container") == 0)
            try await expect(.live, daemon)
            try exchange("tree", "other")
            try await expect(.unavailable, daemon)
            try exchange("tree", "other")
            try await expect(.live, daemon)
        }
        // Half a file is none.
        try directory.write("0123", to: "tree/.gather/container")
        try await run { try await expect(.live, $0) }
        try mark("tree", token)
        try await run { try await expect(.live, $0) }
    }

    /// A user who may write there must not be able to take the container away from all others.
    @Test func anotherMarkInTheSameDirectoryIsTaken() async throws {
        try mark("tree", token)
        try await run { daemon in
            try await expect(.live, daemon)
            try mark("tree", .random())
            try await expect(["own"], daemon)
            try await expect(.live, daemon)
        }
        try mark("tree", .random())
        try await run { try await expect(.live, $0) }
    }

    @Test func aLinkThatLeadsElsewhereIsNotFollowed() async throws {
        try mark("tree", token)
        try directory.makeDirectory("other")
        #expect(symlink("tree", directory.path + "/link") == 0)
        let containers = ["tree": directory.path + "/link"]
        try await DaemonFixture.run(containers: containers, directory: directory) { daemon in
            try await expect(.live, daemon)
            #expect(symlink("other", directory.path + "/next") == 0)
            #expect(rename(directory.path + "/next", directory.path + "/link") == 0)
            try await expect(.unavailable, daemon)
        }
    }

    @Test func onlyADirectoryThatIsThereIsAccepted() async throws {
        try mark("tree", token)
        try await run { daemon in
            await #expect(throws: (any Error).self) {
                try await daemon.call(ContainerInterface.Accept.self, .init(identifier: "none"))
            }
            #expect(rename(daemon.tree, directory.path + "/away") == 0)
            try await expect(.unavailable, daemon)
            await #expect(throws: (any Error).self) { try await accept(daemon) }
            // The refusal has changed nothing.
            try directory.makeDirectory("tree")
            #expect(try await container(daemon).reason?.hasPrefix(ContainerStranger.unmarked.reason) == true)
        }
    }

    @Test(.needsRoot("mounts", if: TemporaryDirectory.canMount), arguments: [false, true])
    func anotherDiskAndAnEmptyMountPointAreNotTaken(isMounted: Bool) async throws {
        defer { umount2(directory.path + "/tree", CInt(MNT_DETACH)) }
        if isMounted {
            #expect(mount("none", directory.path + "/tree", "tmpfs", 0, nil) == 0)
            try directory.write("", to: "tree/own")
        }
        try mark("tree", token)
        try await run { try await expect(.live, $0) }
        // The disk is not there, or another one lies on it.
        if isMounted {
            umount2(directory.path + "/tree", CInt(MNT_DETACH))
        } else {
            #expect(mount("none", directory.path + "/tree", "tmpfs", 0, nil) == 0)
        }
        try await run { try await expect(.unavailable, $0) }
    }
}
