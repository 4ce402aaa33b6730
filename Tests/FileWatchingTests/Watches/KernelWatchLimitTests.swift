// The kernel's own word that there are no more watches (ENOSPC): in a user namespace, where the limit can be set without
// touching the machine.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import Testing

/// The tests run once more in a namespace of their own, as another process: only one with a single thread may enter one.
enum LimitedNamespace {
    static let limitFile = "/proc/sys/user/max_inotify_watches"
    static let mark = "GATHER_TEST_IN_NAMESPACE"
    static let watches = 12

    static let isInside = getenv(mark) != nil

    /// Whether there may be such a namespace.
    static let isAllowed: Bool = {
        guard !isInside else { return false }
        return FileWatchingTests.run("unshare", "--user", "--map-root-user", "sh", "-c", "test -w \(limitFile)") == 0
    }()

    /// Runs a suite in such a namespace; returns how that ended.
    static func test(_ suite: String) -> CInt {
        var path = [CChar](repeating: 0, count: 4_096)
        guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else { return -1 }
        let program = path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let script = "echo \(watches) > \(limitFile) && \(mark)=1 exec \"$@\" >&2"
        return FileWatchingTests.run(
            "unshare", "--user", "--map-root-user", "sh", "-c", script, "sh", program, "--testing-library",
            "swift-testing", "--filter", suite)
    }

    static func setLimit(_ count: Int) -> Bool {
        guard let file = fopen(limitFile, "w") else { return false }
        defer { fclose(file) }
        return fputs("\(count)\n", file) >= 0 && fflush(file) == 0
    }
}

@Suite struct KernelWatchLimitTests {
    @Test(.enabled(if: LimitedNamespace.isAllowed, "user namespaces are allowed"))
    func theKernelsLimitInANamespace() { #expect(LimitedNamespace.test("InsideANamespaceTests") == 0) }
}

@Suite(.serialized, .enabled(if: LimitedNamespace.isInside, "run by KernelWatchLimitTests"))
struct InsideANamespaceTests {
    let directory = TemporaryDirectory()
    private let others = OtherProgram()

    private func fixture() throws -> WatcherFixture {
        for index in 0..<30 {
            directory.makeDirectory("d\(index)")
            directory.write("d\(index)/f", "1")
        }
        for index in 0..<OtherProgram.watches { try others.watch(directory.url("d\(index)")) }
        var settings = WatchSettings()
        settings.pollInterval = 20_000_000
        let fixture = try WatcherFixture(settings: settings)
        fixture.watcher.addContainer(1, path: directory.path)
        fixture.settle()
        return fixture
    }

    private func state(_ fixture: WatcherFixture) -> String { fixture.watcher.state(of: 1).map { "\($0)" } ?? "" }

    /// Directories without a watch are polled, and the state says so: other programs hold a part of the limit.
    @Test func theKernelRefuses() throws {
        #expect(LimitedNamespace.setLimit(LimitedNamespace.watches))
        let fixture = try fixture()
        #expect(
            fixture.kernel.userWatchLimit() == LimitedNamespace.watches, "the limit of the namespace is the tighter one"
        )
        #expect(state(fixture).contains("degraded") && state(fixture).contains("max_user_watches"), "\(state(fixture))")
        #expect(fixture.watcher.watchCount <= LimitedNamespace.watches - OtherProgram.watches)
        #expect(fixture.watcher.figures(of: 1).polled >= 31 - LimitedNamespace.watches + OtherProgram.watches)
        expectEqual(fixture.tree, directory.path)
        for index in 0..<30 { directory.write("d\(index)/new", "2") }
        directory.check(rename(directory.url("d3/f"), directory.url("d27/moved")), "mv")
        let real = walk(directory.path)
        fixture.iterate(until: { fixture.tree.contents(of: 1) == real }, "polled")
        #expect(state(fixture).contains("degraded"))
    }

    /// Watches that become free are handed out, and a limit that is raised is found out.
    @Test func thenItAllows() throws {
        #expect(LimitedNamespace.setLimit(LimitedNamespace.watches))
        let fixture = try fixture()
        #expect(LimitedNamespace.setLimit(1_000))
        fixture.iterate(until: { fixture.watcher.state(of: 1) == .live }, "raised")
        for index in 0..<30 { directory.append("d\(index)/f", "more") }
        fixture.settle()
        expectEqual(fixture.tree, directory.path)
        #expect(fixture.watcher.figures(of: 1).watches == 31)
    }
}

/// Another program of the same user: an inotify instance whose watches count for the same limit.
private final class OtherProgram {
    static let watches = 6
    private let inotify = try? Inotify()

    func watch(_ path: String) throws {
        let directory = try Directory.open(path, access: .path)
        _ = try inotify?.addWatch(on: directory.number, mask: .create)
    }
}
