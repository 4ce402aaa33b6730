// Directories of containers, and directories and symlinks above them, move, change places and are made anew.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Compares each container with a walk of its directory. No container is polled, so each change has to be seen by an event.
@Suite struct ContainerMovesTests {
    static let seeds = TestLength.seeds(12, long: 200)
    private static let rounds = 40
    private static let changesPerRound = 8

    /// The last two lie behind symlinks, which may come to lead to one directory.
    private static let paths = ["c", "p/d", "p/q/e", "s/f", "t/f"]
    /// The directories above, and places away from all containers, or inside of one.
    private static let places =
        paths.prefix(3) + ["p", "p/q", "r", "r/f", "u", "u/f", "away", "p/away", "c/in", "p/d/in"]
    private static let links = ["s", "t", "r", "u"]

    private let directory = TemporaryDirectory()

    private func fixture(_ paths: [String]) throws -> WatcherFixture {
        var settings = WatchSettings()
        settings.pollInterval = 1 << 60
        settings.openDirectoryLimit = 4
        let numbers = paths.indices.map { UInt32($0 + 1) }
        let fixture = try WatcherFixture(containers: numbers, settings: settings)
        for (number, path) in zip(numbers, paths) {
            fixture.watcher.addContainer(number, path: directory.url(path))
        }
        fixture.settle("first crawl")
        return fixture
    }

    private func make(_ path: String) {
        guard mkdir(directory.url(path), 0o755) == 0 else { return }
        let name = path.replacing("/", with: "-")
        directory.write("\(path)/of-\(name)")
        directory.write("\(path)/same")
        directory.makeDirectory("\(path)/below")
        directory.write("\(path)/below/in-\(name)")
    }

    private func status(_ path: String, followsLinks: Bool = true) -> stat? {
        var status = stat()
        let result = followsLinks ? stat(directory.url(path), &status) : lstat(directory.url(path), &status)
        return result == 0 ? status : nil
    }

    private func kind(_ path: String) -> mode_t? { status(path, followsLinks: false).map { $0.st_mode & S_IFMT } }

    /// Expects each container to be live with the contents of its directory, or unavailable where there is none. If several
    /// have one directory, one of them has it. Returns false after a failure.
    private func check(_ fixture: WatcherFixture, _ paths: [String], _ context: String) -> Bool {
        fixture.settle(context)
        var containersOfInode: [UInt: [UInt32]] = [:]
        var isRight = true
        func expect(_ condition: Bool, _ text: String) {
            guard !condition else { return }
            Issue.record("\(context): \(text)")
            isRight = false
        }
        for (number, path) in zip(UInt32(1)..., paths) {
            if let status = status(path), status.st_mode & S_IFMT == S_IFDIR {
                containersOfInode[UInt(status.st_ino), default: []].append(number)
            } else {
                expect(!isLive(number, fixture), "\(path) is not there and the container is live")
                expect(fixture.tree.contents(of: number).isEmpty, "\(path) is not there and the container has items")
            }
        }
        for numbers in containersOfInode.values {
            let live = numbers.filter { isLive($0, fixture) }
            expect(
                live.count == 1,
                numbers.map { "\(paths[Int($0) - 1]) is \(String(describing: fixture.watcher.state(of: $0)))" }
                    .joined(separator: ", "))
            for number in live {
                let path = directory.url(paths[Int(number) - 1])
                let isEqual = fixture.tree.contents(of: number) == walk(path)
                expectEqual(fixture.tree, path, container: number, context)
                isRight = isRight && isEqual
            }
        }
        return isRight
    }

    private func isLive(_ number: UInt32, _ fixture: WatcherFixture) -> Bool {
        fixture.watcher.state(of: number) == .live
    }

    // MARK: Smallest cases

    /// Makes the containers `c`, `d` and `e`, calls `change`, and compares.
    private func expectLive(_ context: String, after change: () -> Void) throws {
        let paths = ["c", "d", "e"]
        for path in paths { make(path) }
        let fixture = try fixture(paths)
        change()
        #expect(check(fixture, paths, context))
        for path in paths { directory.write("\(path)/later") }
        #expect(check(fixture, paths, "\(context), and changes after that"))
    }

    @Test func exchangedDirectoriesAreLive() throws {
        try expectLive("exchange") { directory.exchange("c", "d") }
    }

    @Test func directoriesThatChangePlacesByThreeMovesAreLive() throws {
        try expectLive("three moves") {
            directory.move("c", "x")
            directory.move("d", "c")
            directory.move("x", "d")
        }
    }

    @Test func directoriesThatMoveInARingAreLive() throws {
        try expectLive("ring") {
            directory.exchange("c", "d")
            directory.exchange("d", "e")
        }
    }

    @Test func exchangedParentsAreLive() throws {
        let paths = ["p/c", "q/c"]
        for path in ["p", "q"] + paths { make(path) }
        let fixture = try fixture(paths)
        directory.exchange("p", "q")
        #expect(check(fixture, paths, "parents"))
    }

    /// The container that has the directory is removed, and the other one gets it.
    @Test func aDirectoryOfTwoContainersIsLiveAfterOneIsRemoved() throws {
        make("c")
        directory.symlink("c", "d")
        let fixture = try fixture(["c", "d"])
        let first: UInt32 = isLive(1, fixture) ? 1 : 2
        #expect(!isLive(3 - first, fixture))
        fixture.watcher.removeContainer(first)
        fixture.settle("removal")
        #expect(isLive(3 - first, fixture))
    }

    // MARK: Random changes

    @Test(arguments: seeds) func randomMovesEndLive(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for path in ["p", "p/q", "r", "u"] { make(path) }
        directory.symlink("r", "s")
        directory.symlink("u", "t")
        for path in Self.paths { make(path) }
        let fixture = try fixture(Self.paths)
        for round in 0..<Self.rounds {
            var changes: [String] = []
            for _ in 0..<Int.random(in: 1...Self.changesPerRound, using: &random) {
                changes += change(using: &random).map { [$0] } ?? []
                if Int.random(in: 0..<3, using: &random) == 0 { fixture.iterate() }
            }
            let context = "seed \(seed) round \(round): \(changes.joined(separator: ", "))"
            guard check(fixture, Self.paths, context) else { return }
        }
    }

    /// Makes one change and returns its text; nil where it is not possible.
    private func change(using random: inout SeededGenerator) -> String? {
        func isAllowed(_ a: String, _ b: String) -> Bool {
            if a == b || a.hasPrefix(b + "/") || b.hasPrefix(a + "/") { return false }
            // A link in another place would make one container lie in another one.
            return ![a, b].contains { kind($0) == S_IFLNK } || [a, b].allSatisfy(Self.links.contains)
        }
        let all = Self.places + Self.links
        func pick() -> String { all.randomElement(using: &random) ?? "c" }
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3:
            let (a, b) = (pick(), pick())
            guard isAllowed(a, b), kind(a) != nil, kind(b) != nil else { return nil }
            // EINVAL where a symlink leads from one into the other.
            let isDone: Void? = try? Entry.rename(directory.url(a), to: directory.url(b), mode: .exchange)
            return isDone.map { "exchange \(a) \(b)" }
        case 4...5:
            let (a, b) = (pick(), pick())
            guard isAllowed(a, b), kind(a) != nil, kind(b) == nil, rename(directory.url(a), directory.url(b)) == 0
            else {
                return nil
            }
            return "move \(a) \(b)"
        case 6:
            let names = [pick(), pick(), pick()]
            guard isAllowed(names[0], names[1]), isAllowed(names[1], names[2]), isAllowed(names[2], names[0]),
                names.allSatisfy({ kind($0) != nil })
            else { return nil }
            for (old, new) in [(names[0], "aside"), (names[1], names[0]), (names[2], names[1]), ("aside", names[2])] {
                _ = rename(directory.url(old), directory.url(new))
            }
            return "ring \(names.joined(separator: " "))"
        case 7...8:
            let a = pick()
            guard kind(a) == nil else { return nil }
            make(a)
            return kind(a) == nil ? nil : "make \(a)"
        case 9:
            let a = pick()
            guard kind(a) != nil else { return nil }
            directory.removeTree(a)
            return "remove \(a)"
        case 10:
            let (link, target) = (Bool.random(using: &random) ? "s" : "t", Bool.random(using: &random) ? "r" : "u")
            guard kind(link) != S_IFDIR else { return nil }
            unlink(directory.url(link))
            directory.symlink(target, link)
            return "link \(link) \(target)"
        default:
            let a = pick()
            guard kind(a) == S_IFDIR else { return nil }
            directory.write("\(a)/changed")
            return "write \(a)/changed"
        }
    }
}
