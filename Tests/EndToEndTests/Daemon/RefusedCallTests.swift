// Programs under a filter of system calls, as containers and sandboxes have them.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: RefusedCalls.arePossible)) struct RefusedCallTests {
    private static func start(
        _ product: Product, _ arguments: [String], without refusal: RefusedCalls.Refusal,
        environment: [String: String] = [:]
    ) -> ChildProcess {
        let (program, arguments) = RefusedCalls.around(product.path, arguments, refusing: [refusal])
        return ChildProcess(path: program, arguments, environment: environment)
    }

    /// A container's directories are opened by other calls then. Links and mount points are still not followed.
    @Test(arguments: [EPERM, ENOSYS]) func filesAreFoundWithoutOpenat2(code: CInt) async throws {
        let directory =
            URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path()
            + "gather-refused-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let box = directory + "/box"
        for name in ["", "/box", "/box/a", "/box/a/b", "/box/a/b/c", "/outside"] { mkdir(directory + name, 0o755) }
        for name in ["/box/a/b/c/f", "/box/g", "/outside/h"] { try Change.write("", to: directory + name) }
        #expect(symlink(directory + "/outside", box + "/link") == 0)
        let expected = ["a", "a/b", "a/b/c", "a/b/c/f", "g", "link"].map { "\(box)/\($0)" }

        let refusal = RefusedCalls.Refusal("openat2", code)
        let embedded = await Self.start(.gather, ["find", "", "--embedded", "--in", box], without: refusal).result()
        #expect(embedded.lines.sorted() == expected, "\(embedded)")

        let socket = directory + "/io.gatherd"
        let notifications = try NotifySocket(path: directory + "/notify")
        let daemon = Self.start(
            .gatherd,
            ["--socket", socket, "--state-directory", directory + "/state", "--container", "box=\(box)"],
            without: refusal, environment: ["NOTIFY_SOCKET": directory + "/notify"])
        try await notifications.wait(for: "READY=1")
        let found = await run(.gather, "find", "", "--socket", socket)
        #expect(found.lines.sorted() == expected, "\(found)")
        #expect(rename(box + "/a/b", box + "/d") == 0)
        try Change.write("", to: box + "/d/c/new")
        let moved = await run(.gather, "find", "name == 'new'", "--socket", socket)
        #expect(moved.lines == [box + "/d/c/new"], "\(moved)")
        let doctor = await run(.gather, "doctor", "--socket", socket)
        #expect(!doctor.text.contains("setfacl") && doctor.text.contains("\(box) is live"), "\(doctor.text)")
        daemon.kill()
        #expect(await daemon.result().status == 0)
    }

    @Test(arguments: ["statx", "clone3", "epoll_create1", "eventfd2", "epoll_ctl", "timerfd_create"])
    func aCallThatEverythingNeedsIsNamed(call: String) async throws {
        for product in [Product.gatherd, .gather, .grocery, .helper] {
            let result = await Self.start(product, ["--version"], without: .init(call, EPERM)).result()
            #expect(result.status == 71, "\(product): \(result)")
            let reason = "\(product.rawValue): \(call)(2) cannot be used: Operation not permitted; "
            #expect(result.errors.hasPrefix(reason), "\(product): \(result.errors)")
            #expect(result.errors.contains("seccomp"), "\(product): \(result.errors)")
        }
    }

    @Test func inotifyIsNamed() async throws {
        let directory = NSTemporaryDirectory() + "gather-refused-\(UUID().uuidString.prefix(8))"
        mkdir(directory, 0o700)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let result = await Self.start(
            .gatherd,
            ["--socket", directory + "/io.gatherd", "--state-directory", directory + "/state"],
            without: .init("inotify_init1", EPERM)
        ).result()
        #expect(result.status == 71, "\(result)")
        #expect(result.errors.contains("inotify cannot be used: Operation not permitted"), "\(result.errors)")
    }
}
