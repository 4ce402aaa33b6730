// Directories of containers that gatherd holds open. One would keep its file system from being unmounted.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

struct OpenDirectoryTests {
    /// The paths below a directory that a process holds open.
    private func open(of process: pid_t, below directory: String) throws -> [String] {
        let place = "/proc/\(process)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: place).compactMap {
            // One that was closed meanwhile has none.
            try? FileManager.default.destinationOfSymbolicLink(atPath: place + "/" + $0)
        }.filter { $0 == directory || $0.hasPrefix(directory + "/") }
    }

    @Test func noDirectoryStaysOpenAfterAChange() async throws {
        let daemon = try await TestDaemon()
        let deep = (0..<40).map { "d\($0)" }.joined(separator: "/")
        try FileManager.default.createDirectory(atPath: daemon.box + "/" + deep, withIntermediateDirectories: true)
        try Change.directory(daemon.box + "/b")
        for number in 0..<20 {
            for directory in ["", "b/", deep + "/"] {
                let path = daemon.box + "/" + directory
                try Change.write("x", to: path + "f\(number)")
                if number > 0 {
                    try Change.write("longer", to: path + "f\(number - 1)")
                    try Change.rename(path + "f\(number - 1)", path + "g\(number)")
                }
            }
            // The answer has all that happened before, so the daemon has looked at it.
            let found = await daemon.gather("find", "name == 'f\(number)'")
            #expect(found.lines.count == 3, "\(found)")
            #expect(try open(of: daemon.processID, below: daemon.box) == [])
        }
    }

    @Test(.needsRoot("mounts")) func aFileSystemIsUnmountedAtOnce() async throws {
        let daemon = try await TestDaemon()
        let place = daemon.directory + "/mount"
        try Change.directory(place)
        try #require(mount("none", place, "tmpfs", 0, "size=4m") == 0, "\(errno)")
        defer { umount2(place, CInt(MNT_DETACH)) }
        let added = await daemon.gather("container", "add", "mounted", place)
        #expect(added.status == 0, "\(added)")
        try Change.directory(place + "/d")
        try Change.write("x", to: place + "/d/f")
        #expect(await daemon.gather("find", "name == 'f'").lines.count == 1)
        #expect(umount(place) == 0, "\(String(cString: strerror(errno)))")
    }
}
