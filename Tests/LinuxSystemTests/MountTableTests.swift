// The table of mounts, and paths on mounts.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinuxSystem

struct MountTableTests {
    private let table = MountTable.parse(
        Array(
            """
            21 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw
            22 21 0:45 / /home/a\\040b rw,nosuid shared:2 master:1 - fuse.sshfs host:/ rw,user_id=0
            23 21 0:46 / /srv/nfs rw - nfs4 host:/export rw
            24 22 0:47 / /home/a\\040b/cache rw - tmpfs none rw
            broken line
            """.utf8))

    private func mount(_ number: Int) throws -> Mount { try #require(table.first { $0.number == number }) }

    @Test func parsesPathDeviceAndType() throws {
        #expect(table.count == 4)
        let sshfs = try mount(22)
        #expect(sshfs.text == "/home/a b")
        #expect(sshfs.device == 45)
        #expect(sshfs.type == "fuse.sshfs")
        #expect(try mount(21).device == 0x801)
    }

    @Test func onlyServedFileSystemsMayHang() throws {
        #expect(Set(table.filter(\.mayHang).map(\.number)) == [22, 23])
        #expect(!Mount(number: 1, path: Array("/a".utf8)).mayHang)
        #expect(Mount(number: 1, path: Array("/a".utf8), type: "autofs").mayHang)
    }

    @Test func innermostMountHoldsThePath() {
        func number(_ path: String) -> Int? { MountPaths.innermost(of: table, holding: Array(path.utf8))?.number }
        #expect(number("/home/a b/f") == 22)
        #expect(number("/home/a b") == 22)
        #expect(number("/home/a bc") == 21)
        #expect(number("/home/a b/cache/f") == 24)
        #expect(number("/") == 21)
    }
}
