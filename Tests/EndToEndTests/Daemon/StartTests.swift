// The programs on machines that lack something: few descriptors, no inotify instance, a library that moves the environment.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct StartTests {
    private static let shell = "/bin/bash"

    /// Runs a program under a shell's limits until it ends.
    private func run(_ script: String, _ arguments: String...) async -> ChildProcess.Result {
        await ChildProcess(path: Self.shell, ["-c", script, "bash"] + arguments).result()
    }

    private func scratch() -> String {
        let path =
            URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path()
            + "gather-\(UUID().uuidString.prefix(8))"
        mkdir(path, 0o700)
        return path
    }

    @Test(arguments: [12, 20, 31]) func tooFewDescriptorsAreAnError(limit: Int) async {
        let directory = scratch()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let result = await run(
            "ulimit -n \(limit); exec \"$@\"", Product.gatherd.path, "--socket", directory + "/s", "--state-directory",
            directory + "/state")
        // EX_OSERR: systemd starts it again.
        #expect(result.status == 71)
        #expect(
            result.errors
                == "gatherd: the limit of open files is \(limit), and gatherd needs at least 32; raise it with 'ulimit -n 1024', or LimitNOFILE= in the unit\n"
        )
    }

    @Test func withTheFewestDescriptorsItServes() async throws {
        let directory = scratch()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        mkdir(directory + "/box", 0o755)
        try "x".write(toFile: directory + "/box/file", atomically: false, encoding: .utf8)
        let manager = try NotifySocket(path: directory + "/notify")
        let daemon = ChildProcess(
            path: Self.shell,
            [
                "-c", "ulimit -n 32; exec \"$@\"", "bash", Product.gatherd.path, "--socket", directory + "/s",
                "--state-directory", directory + "/state", "--container", "box=" + directory + "/box",
            ], environment: ["NOTIFY_SOCKET": directory + "/notify"])
        try await manager.wait(for: "READY=1")
        let found = await ChildProcess(.gather, ["find", "name == 'file'", "--socket", directory + "/s"]).result()
        #expect(found.text == directory + "/box/file\n", "\(found.errors)")
        daemon.kill(SIGTERM)
        let end = await daemon.result()
        #expect(end.status == 0, "\(end.errors)")
        #expect(!end.errors.contains("Too many open files"), "\(end.errors)")
    }

    @Test(.enabled(if: canMakeUserNamespaces, "user namespaces are allowed"))
    func withoutAnInotifyInstanceTheLimitIsNamed() async {
        let directory = scratch()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let result = await run(
            "exec unshare -r bash -c 'echo 0 > /proc/sys/user/max_inotify_instances && exec \"$@\"' bash \"$@\"",
            Product.gatherd.path, "--socket", directory + "/s", "--state-directory", directory + "/state")
        #expect(result.status == 71)
        #expect(result.errors.contains("no inotify instance is left for this user (EMFILE)"), "\(result.errors)")
        #expect(result.errors.contains("fs.inotify.max_user_instances"), "\(result.errors)")
        #expect(!result.errors.contains("stopping"), "\(result.errors)")
    }

    private static let canMakeUserNamespaces: Bool =
        system("unshare -r sh -c 'echo 0 > /proc/sys/user/max_inotify_instances' 2>/dev/null") == 0

    @Test(.enabled(if: canMakeUserNamespaces, "user namespaces are allowed"))
    func withoutProcTheArgumentsAreThoseOfMain() async {
        for product in [Product.gather, .gatherd, .helper, .grocery] {
            func result(_ arguments: String...) async -> ChildProcess.Result {
                await ChildProcess(
                    path: "/usr/bin/unshare",
                    ["-rm", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh", product.path] + arguments
                ).result()
            }
            let version = await result("--version")
            #expect(version.status == 0 && version.text.hasPrefix(product.rawValue + " "), "\(product) \(version)")
            let help = await result("--help")
            #expect(help.status == 0 && help.text.contains("USAGE: \(product.rawValue)"), "\(product) \(help)")
            let refused = await result("--no-such-option")
            #expect(refused.status == 64, "\(product) \(refused)")
            #expect(refused.errors.contains("--no-such-option"), "\(product) \(refused)")
        }
    }

    // Swift looks for the arguments before the environment in memory, and setenv(3) moves that.
    @Test(.enabled(if: compiler != nil, "there is a C compiler"))
    func aPreloadedLibraryThatChangesTheEnvironmentKeepsTheArguments() async throws {
        let directory = scratch()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let preload = try await environment(
            preloading: """
                #include <stdlib.h>
                __attribute__((constructor)) static void set(void) { setenv("GATHER_TEST_ADDED", "1", 1); }
                """, in: directory)
        for product in [Product.gather, .gatherd, .grocery] {
            let result = await ChildProcess(product, ["--no-such-option"], environment: preload).result()
            #expect(result.status == 64 && result.errors.contains("--no-such-option"), "\(product) \(result)")
        }
        mkdir(directory + "/tree", 0o755)
        try Data().write(to: URL(filePath: directory + "/tree/x"))
        let found = await ChildProcess(
            .gather, ["find", "name == 'x'", "--embedded", "--in", directory + "/tree"], environment: preload
        ).result()
        #expect(found.text == directory + "/tree/x\n", "\(found.errors)")
    }

    // libdispatch ends a process without /proc that has more threads than the first.
    @Test(.enabled(if: compiler != nil, "there is a C compiler"))
    func versionHelpAndErrorsOfArgumentsNeedNoSecondThread() async throws {
        let directory = scratch()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // One thread is tried at the start, and ends.
        let preload = try await environment(
            preloading: """
                #define _GNU_SOURCE
                #include <dlfcn.h>
                #include <pthread.h>
                #include <unistd.h>
                typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
                int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*begin)(void *), void *with) {
                    static int made;
                    if (made++ > 0) _exit(99);
                    return ((create *)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, begin, with);
                }
                """, in: directory)
        for product in [Product.gather, .gatherd, .helper, .grocery] {
            for (argument, status) in [("--version", 0), ("--help", 0), ("--no-such-option", 64)] {
                let result = await ChildProcess(product, [argument], environment: preload).result()
                #expect(result.status == status, "\(product) \(argument): \(result)")
            }
        }
    }

    /// Compiles a library of C and returns the environment of a process that loads it first.
    private func environment(preloading source: String, in directory: String) async throws -> [String: String] {
        let (file, library) = (directory + "/preload.c", directory + "/preload.so")
        try source.write(toFile: file, atomically: false, encoding: .utf8)
        let made = await run("exec \"$@\"", try #require(Self.compiler), "-shared", "-fPIC", "-o", library, file)
        try #require(made.status == 0, "\(made.errors)")
        return ["LD_PRELOAD": library]
    }

    private static let compiler: String? = ["/usr/bin/cc", "/usr/bin/clang", "/opt/swift/usr/bin/clang"].first {
        access($0, X_OK) == 0
    }

    @Test func aContainerWithoutAPathIsRefused() async {
        for argument in ["home=", "home=relative"] {
            let result = await ChildProcess(.gatherd, ["--container", argument]).result()
            #expect(result.status == 64)
            #expect(result.errors.hasPrefix("gatherd: --container: '\(argument)'"), "\(result.errors)")
            #expect(result.errors.hasSuffix("write an absolute path\n"), "\(result.errors)")
        }
    }

    @Test func aSecondDaemonSaysOnlyThatThereIsAFirst() async throws {
        let daemon = try await TestDaemon()
        let result = await ChildProcess(
            .gatherd,
            ["--socket", daemon.socket.path, "--state-directory", daemon.directory + "/other"]
        ).result()
        #expect(result.status == 78)
        #expect(
            result.errors.wholeMatch(
                of:
                    /gatherd: \S+: another daemon \(process \d+\) already answers there; stop it, or name another path with --socket\n/
            ) != nil, "\(result.errors)")
    }
}
