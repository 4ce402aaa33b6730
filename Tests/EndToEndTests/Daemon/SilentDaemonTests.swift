// A daemon that stands still, as a debugger, a frozen control group or a dead disk has it stand.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

struct SilentDaemonTests {
    /// The shortest time that the commands give a daemon.
    private static let hurry = ["GATHER_ANSWER_SECONDS": "1"]
    private static let statement = "has not answered for 1 s: it is stopped or overloaded. "

    @Test func everyCommandSaysSo() async throws {
        let daemon = try await TestDaemon { box in
            try Change.write("", to: box + "/a")
            try Change.directory(box + "/new")
        }
        let clock = try await daemon.client.flush().rawValue
        daemon.stop()
        let commands = [
            ["find", "name == 'a'"], ["find", "--json", ""], ["find", "--no-sync", "--sort", "size", ""],
            ["count", ""],
            ["values", "kind"], ["explain", "size > 1"], ["show", daemon.box + "/a"], ["conflicts"], ["clock"],
            ["changes", "--since", clock, ""], ["status"], ["metrics"], ["top"], ["container", "list"],
            ["container", "list", "--wait"], ["container", "rescan", "box"],
            ["container", "add", "new", daemon.box + "/new"], ["container", "remove", "box"], ["reload"], ["share"],
        ]
        await withTaskGroup { group in
            for arguments in commands {
                group.addTask {
                    let result = await ChildProcess(
                        .gather, arguments + ["--socket", daemon.socket.path], environment: Self.hurry
                    ).result()
                    #expect(result.status == 75, "\(arguments): \(result)")
                    #expect(
                        result.errors.contains("gatherd at \(daemon.socket.path) " + Self.statement),
                        "\(arguments): \(result.errors)")
                    #expect(result.text.isEmpty, "\(arguments): \(result.text)")
                }
            }
        }
        daemon.resume()
        #expect(try await daemon.client.count("name == 'a'").count == 1)
    }

    @Test func doctorExaminesTheRest() async throws {
        let daemon = try await TestDaemon()
        daemon.stop()
        let result = await ChildProcess(
            .gather, ["doctor", "--socket", daemon.socket.path], environment: Self.hurry
        ).result()
        daemon.resume()
        #expect(result.status == 1)
        let problem = try #require(result.lines.first { $0.hasPrefix("problem") })
        #expect(problem.contains("daemon") && problem.hasSuffix("it is stopped or overloaded"), "\(problem)")
        #expect(result.text.contains("\n                 ps -C gatherd -o pid,stat,args\n"), "\(result.text)")
        #expect(result.text.contains("\nok       access"), "\(result.text)")
    }

    @Test func watchGoesOnWhenTheDaemonDoes() async throws {
        let daemon = try await TestDaemon { try Change.write("", to: $0 + "/a") }
        let watch = ChildProcess(
            .gather, ["watch", "", "--json", "--attributes", "name", "--socket", daemon.socket.path],
            environment: Self.hurry)
        func line(with part: String) async throws {
            while !(try #require(await watch.nextLine(), "the watch ended before \(part)").contains(part)) {}
        }
        try await line(with: "\"gathered\"")
        daemon.stop()
        try await line(with: "\"reconnecting\"")
        let note = try #require(await watch.nextErrorLine())
        #expect(note.contains(Self.statement) && note.hasSuffix("; waiting for gatherd"), "\(note)")
        try Change.write("", to: daemon.box + "/b")
        daemon.resume()
        try await line(with: "\"reconnected\",\"resumed\":true")
        try await line(with: "\"b\"")
        watch.kill()
        _ = await watch.result()
    }

    @Test func watchWaitsForTheDaemonFromTheStart() async throws {
        let daemon = try await TestDaemon { try Change.write("", to: $0 + "/a") }
        daemon.stop()
        let watch = ChildProcess(
            .gather, ["watch", "", "--once", "--socket", daemon.socket.path], environment: Self.hurry)
        let note = try #require(await watch.nextErrorLine())
        #expect(note.contains(Self.statement) && note.hasSuffix("; waiting for gatherd"), "\(note)")
        daemon.resume()
        #expect(await watch.nextLine() == "  \(daemon.box)/a")
        try Change.write("", to: daemon.box + "/b")
        let result = await watch.result()
        #expect(result.status == 0 && result.text.hasSuffix("+ \(daemon.box)/b\n"), "\(result)")

        daemon.stop()
        let late = await ChildProcess(
            .gather, ["watch", "", "--once", "--timeout", "2s", "--socket", daemon.socket.path], environment: Self.hurry
        ).result()
        daemon.resume()
        #expect(late.status == 124, "\(late)")
    }

    /// The bridge finds out for the machine at its other end, which gets the reason as that of the connection's end.
    @Test func bridgeEndsWithTheReason() async throws {
        let daemon = try await TestDaemon()
        daemon.stop()
        let bridge = ChildProcess(
            .gather, ["bridge", "--socket", daemon.socket.path], environment: Self.hurry, input: nil)
        let result = await bridge.result()
        daemon.resume()
        #expect(result.status == 75 && result.errors.contains(Self.statement), "\(result)")
    }

    @Test func theLibraryHasAnErrorForIt() async throws {
        let daemon = try await TestDaemon()
        daemon.stop()
        let result = await ChildProcess(
            .grocery, ["list", "--socket", daemon.socket.path, "--container", "box"],
            environment: ["XDG_STATE_HOME": daemon.directory + "/home"].merging(Self.hurry) { $1 }
        ).result()
        daemon.resume()
        #expect(result.status == 75 && result.errors.contains(Self.statement), "\(result)")
    }

    @Test func silentHelperIsNamed() async throws {
        let daemon = try await TestDaemon()
        // It listens, and never takes a connection.
        let path = daemon.directory + "/io.gatherd.Sharing"
        let silent = try Self.listen(at: path)
        defer { close(silent) }
        let environment = Self.hurry.merging(["GATHER_SOCKET": daemon.socket.path]) { $1 }
        for arguments in [["sync", "status"], ["devices"], ["evict", daemon.box]] {
            let result = await ChildProcess(
                .gather, arguments + ["--sync-socket", path], environment: environment
            ).result()
            #expect(result.status == 75, "\(arguments): \(result)")
            let reason = "gather-syncd at \(path) " + Self.statement
            #expect(result.errors.contains(reason), "\(arguments): \(result.errors)")
        }
    }

    private static func listen(at path: String) throws -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(code == 0 && Glibc.listen(descriptor, 16) == 0, "\(String(cString: strerror(errno)))")
        return descriptor
    }
}
