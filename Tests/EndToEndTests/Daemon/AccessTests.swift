// Answers of the system's daemon to other users, held against what find(1) shows them: the programs themselves, started by
// setpriv(1).
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.needsRoot("other users", if: access("/usr/bin/setpriv", X_OK) == 0)) struct AccessTests {
    private static let users: [(user: Int, groups: [Int])] = [
        (41_001, [42_001]), (41_002, [42_002, 42_001]), (41_003, [42_003, 42_004]), (65_534, [65_534]),
    ]

    /// A list with entries for a user and a group, in the layout of `posix_acl_xattr_header`, as setfacl(1) makes it.
    private static func accessList(user: Int, group: Int, _ permissions: () -> UInt16) -> [UInt8] {
        // Owner, a user, the owning group, a group, the mask, others.
        let entries: [(tag: UInt16, number: UInt32)] = [
            (1, .max), (2, UInt32(user)), (4, .max), (8, UInt32(group)), (16, .max), (32, .max),
        ]
        var bytes: [UInt8] = [2, 0, 0, 0]
        for entry in entries {
            for word in [entry.tag, permissions()] { bytes += [UInt8(word & 0xFF), UInt8(word >> 8)] }
            for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(entry.number >> UInt32(shift) & 0xFF)) }
        }
        return bytes
    }

    private static func quoted(_ text: String) -> String { "'\(text)'" }

    /// Runs a shell command as another user, without capabilities.
    private func run(as user: (user: Int, groups: [Int]), _ command: String) async -> ChildProcess.Result {
        await ChildProcess(
            path: "/usr/bin/setpriv",
            [
                "--reuid=\(user.user)", "--regid=\(user.groups[0])",
                "--groups=\(user.groups.map(String.init).joined(separator: ","))", "--inh-caps=-all", "/bin/sh", "-c",
                command,
            ]
        ).result()
    }

    @Test func `Every user finds what find shows them`() async throws {
        let directory = "/tmp/gather-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let box = directory + "/above/box"
        try FileManager.default.createDirectory(atPath: box, withIntermediateDirectories: true)
        // Other users have to reach the program wherever it was built.
        let program = directory + "/gather"
        try FileManager.default.copyItem(atPath: Product.gather.path, toPath: program)
        for path in [directory, directory + "/above", box, program] { chmod(path, 0o755) }

        let seed = TestLength.seed(1)
        var random = Random(state: seed)
        var directories = [box]
        var entries: [String] = []
        for number in 0..<60 {
            let path = directories[random.below(directories.count)] + "/e\(number)"
            if random.below(3) == 0 {
                mkdir(path, 0o755)
                directories.append(path)
            } else {
                _ = FileManager.default.createFile(atPath: path, contents: nil)
            }
            entries.append(path)
        }
        func change(_ path: String) throws {
            let (owner, groups) = Self.users[random.below(3)]
            chown(path, uid_t(owner), gid_t(groups[random.below(groups.count)]))
            chmod(path, [0o755, 0o750, 0o711, 0o700, 0o055, 0o705, 0o744, 0o040][random.below(8)])
            guard random.below(3) == 0 else { return }
            let other = Self.users[random.below(3)]
            let list = Self.accessList(user: other.user, group: other.groups[0]) { UInt16(random.below(8)) }
            try Change.extendedAttribute("system.posix_acl_access", list, of: path)
        }
        for entry in entries where random.below(2) == 0 { try change(entry) }

        let notifications = try NotifySocket(path: directory + "/notify")
        let daemon = ChildProcess(
            .gatherd, ["--state-directory", directory + "/state", "--container", "box=\(box)"],
            environment: [
                "NOTIFY_SOCKET": directory + "/notify", "RUNTIME_DIRECTORY": directory + "/run",
                "CONFIGURATION_DIRECTORY": directory + "/etc",
            ])
        defer { daemon.kill(SIGKILL) }
        try await notifications.wait(for: "READY=1")
        let socket = directory + "/run/io.gatherd"
        chmod(directory + "/run", 0o755)
        chmod(socket, 0o666)

        let list = directories.map(Self.quoted).joined(separator: " ")
        var shown = 0
        for round in 0..<4 {
            for user in Self.users {
                // %s has find ask for the status: entries that cannot be looked at are not shown.
                let seen = await run(
                    as: user, "find \(list) -mindepth 1 -maxdepth 1 -printf '%p\\n%s\\n' 2>/dev/null")
                let expected = seen.lines.enumerated().filter { $0.offset % 2 == 0 }.map(\.element).sorted()
                let found = await run(as: user, "\(program) find TRUEPREDICATE --socket \(socket)")
                #expect(found.status == 0, "\(found.errors)")
                #expect(found.lines.sorted() == expected, "seed \(seed), round \(round), user \(user.user)")
                shown += expected.count
            }
            for _ in 0..<10 { try change(entries[random.below(entries.count)]) }
            chmod(directory + "/above", [0o755, 0o700, 0o711][round % 3])
        }
        #expect(shown > 0, "seed \(seed)")
    }

    private struct Random {
        var state: UInt64

        mutating func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
    }
}
