// Packages beside readers, and saves that are killed at each step.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import GatherDocuments

@Suite(.serialized) struct PackageProcessTests {
    private static let variable = "GATHER_TEST_PACKAGE_WORKER"
    private static let seed: UInt64 = 26
    private static let files = 40

    private static var options: DocumentOptions {
        DocumentOptions(followsChanges: false, device: DeviceIdentifier(text: "AAAAAAA", name: "ana"))
    }

    /// Saves the next generation of a package, all of whose files have the number of the generation.
    private static func save(_ number: Int, to path: String) throws {
        var package = try Package.read(FilePath(path))
        for file in 0..<files { try package.set(Array("\(number)".utf8), at: FilePath("items/\(file)")) }
        try package.save(to: FilePath(path), options: options)
    }

    /// Reads a package without any help of the library, through one open folder. Nil if it was replaced meanwhile.
    private static func generations(_ path: String) -> [String]? {
        let folder = open(path + "/items", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        defer { close(folder) }
        var found: [String] = []
        for file in 0..<files {
            let descriptor = openat(folder, "\(file)", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = read(descriptor, &bytes, 16)
            guard count > 0 else { return nil }
            found.append(String(decoding: bytes[..<count], as: UTF8.self))
        }
        return found
    }

    @Test func noReaderSeesHalfOfAPackage() throws {
        let scratch = try ScratchDirectory()
        let path = scratch.path + "/Market.gro"
        try Self.save(
            0,
            to: {
                mkdir(path, 0o755); return path
            }())
        let isDone = Atomic(false)
        let readings = try (0..<3).concurrently { thread in
            if thread == 0 {
                defer { isDone.store(true, ordering: .relaxed) }
                for number in 1...150 { try Self.save(number, to: path) }
                return 0
            }
            var (count, isLast) = (0, false)
            // On a busy machine each reading before the last one may meet an exchange of the folder.
            repeat {
                isLast = isDone.load(ordering: .relaxed)
                guard access(path, F_OK) == 0 else { throw CocoaError(.fileNoSuchFile) }
                guard let found = Self.generations(path) else { continue }
                guard Set(found).count == 1 else { throw CocoaError(.fileReadCorruptFile) }
                count += 1
            } while !isLast
            return count
        }
        #expect(readings[1...].allSatisfy { $0 > 0 })
        #expect(scratch.names == ["Market.gro"])
    }

    /// A process of its own: saves generation after generation, and prints each that was saved.
    @Test(.enabled(if: getenv(variable) != nil)) func worker() throws {
        let path = try #require(getenv(Self.variable).map { String(cString: $0) })
        let first = Self.generations(path).flatMap { Int($0[0]) } ?? 0
        for number in (first + 1)...(first + 100_000) {
            try Self.save(number, to: path)
            let line = Array("saved \(number)\n".utf8)
            guard write(STDOUT_FILENO, line, line.count) == line.count else { return }
        }
    }

    @Test func aKilledSaveLeavesTheOldPackageOrTheNewOne() async throws {
        let scratch = try ScratchDirectory()
        let path = scratch.path + "/Market.gro"
        mkdir(path, 0o755)
        try Self.save(0, to: path)
        var random = SeededGenerator(seed: Self.seed)
        for _ in 0..<12 {
            let last = try await Self.run(
                path, lines: Int.random(in: 1...8, using: &random),
                pause: Int.random(in: 0...10_000, using: &random))
            let found = try #require(Self.generations(path))
            #expect(Set(found).count == 1, "seed \(Self.seed): \(Set(found))")
            #expect(try #require(Int(found[0])) >= last, "seed \(Self.seed)")
            // The next program completes the save.
            let package = try Package.read(FilePath(path))
            #expect(package.filePaths.count == Self.files && package.conflictVersions.isEmpty)
            #expect(scratch.names == ["Market.gro"])
            // The next save takes the lock file of the one that was killed.
            let left = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != DirectoryLockFile.name }
            #expect(left == ["items"])
        }
    }

    private static func run(_ path: String, lines: Int, pause: Int) async throws -> Int {
        let program = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? "/proc/self/exe"
        let worker = ChildProcess(
            path: URL(filePath: program).resolvingSymlinksInPath().path(),
            ["--testing-library", "swift-testing", "--filter", "PackageProcessTests/worker"],
            environment: [variable: path])
        var numbers: [Int] = []
        while numbers.count < lines, let line = await worker.nextLine() {
            guard line.hasPrefix("saved ") else { continue }
            numbers.append(try #require(Int(line.dropFirst(6))))
        }
        // The kill comes at a random step of the next save.
        for _ in 0..<pause { access(path, F_OK) }
        worker.kill(SIGKILL)
        let result = await worker.result()
        try #require(
            numbers.count == lines, "the worker ended: \(result.text.suffix(2_000))\(result.errors.suffix(2_000))")
        numbers += result.lines.filter { $0.hasPrefix("saved ") }.compactMap { Int($0.dropFirst(6)) }
        return try #require(numbers.max())
    }

    // MARK: The package that came out of the exchange

    /// Makes what a process leaves that was killed right after the exchange. A program without the lock has changed the old package.
    @Test func changesThatCameOutOfTheExchangeAreBroughtOver() throws {
        let scratch = try ScratchDirectory()
        let path = scratch.path + "/Market.gro"
        let old = scratch.path + "/.syncthing.gather-Market.gro.tmp"
        for folder in [path, old, path + "/items", old + "/items"] { mkdir(folder, 0o755) }
        func write(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }
        for name in ["kept", "replaced", "removed", "changed", "linked"] { try write("old", old + "/items/" + name) }
        for name in ["kept", "linked"] { link(old + "/items/" + name, path + "/items/" + name) }
        for name in ["replaced", "changed"] { try write("new", path + "/items/" + name) }
        var manifest = PackageManifest()
        manifest.known = try PackageTree(scanning: Folder(Array(old.utf8))).entries.mapValues(\.kind)
        manifest.written = [Array("items/replaced".utf8), Array("items/changed".utf8)]
        try Data(manifest.bytes).write(to: URL(filePath: path + "/.syncthing.gather.save.tmp"))
        // After the save has looked.
        try write("added", old + "/items/added")
        for name in ["changed", "linked"] {
            try write("theirs", old + "/items/.x")
            rename(old + "/items/.x", old + "/items/" + name)
        }
        let package = try Package.read(FilePath(path))
        #expect(package.filePaths == ["items/added", "items/changed", "items/kept", "items/linked", "items/replaced"])
        let texts = try package.filePaths.map { String(decoding: try package.contents(at: $0), as: UTF8.self) }
        #expect(texts == ["added", "new", "old", "theirs", "new"])
        let versions = try FileVersion.conflicts(of: FilePath(path + "/items/changed"))
        #expect(try versions.map { String(decoding: try $0.contents(), as: UTF8.self) } == ["theirs"])
        #expect(package.conflictVersions.count == 1)
        #expect(scratch.names == ["Market.gro"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["items"])
    }

    /// Another program has made an entry in the old package that no package has.
    @Test func anOldPackageThatIsKeptAsAWholeIsTold() throws {
        let scratch = try ScratchDirectory()
        let old = scratch.path + "/.syncthing.gather-Market.gro.tmp"
        for folder in [scratch.path + "/Market.gro", old] { mkdir(folder, 0o755) }
        mkfifo(old + "/fifo", 0o600)
        let saver = PackageSaver(
            try Folder(Array(scratch.path.utf8)), name: Array("Market.gro".utf8),
            device: try #require(DeviceIdentifier(text: "AAAAAAA", name: "ana")))
        let kept = try saver.recover().map { String(decoding: $0, as: UTF8.self) }
        #expect(kept.count == 1 && Set(kept + ["Market.gro"]) == Set(scratch.names))
        #expect(
            try kept.map { String(decoding: try #require(ConflictName($0)).original, as: UTF8.self) } == ["Market.gro"])
        #expect(access(scratch.path + "/\(kept.first ?? "")/fifo", F_OK) == 0)
    }

    /// The rule of `FileVersion` and of the index.
    @Test func onlyRegularFilesByTheirOwnNamesAreConflictVersionsOfAPackage() throws {
        let scratch = try ScratchDirectory()
        let path = scratch.path + "/Market.gro"
        let version = ".sync-conflict-20261125-140509-ABCDEFG"
        for folder in ["", "/items", "/items" + version, "/.stversions"] { mkdir(path + folder, 0o755) }
        for name in ["items/1", "items/1" + version, "items\(version)/2", "items\(version)/2\(version)"] {
            try Data(name.utf8).write(to: URL(filePath: path + "/" + name))
        }
        try Data().write(to: URL(filePath: path + "/.stversions/1" + version))
        symlink("1", path + "/items/3" + version)
        let package = try Package.read(FilePath(path))
        #expect(
            package.conflictVersions.map(\.string)
                == ["items\(version)/2\(version)", "items/1" + version].sorted(by: >))
        #expect(package.filePaths == ["items/1"])
    }
}
