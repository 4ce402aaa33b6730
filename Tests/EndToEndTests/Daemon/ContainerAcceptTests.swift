// gather container accept: another directory at the path of a container with a mark.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

struct ContainerAcceptTests {
    @Test func `Another directory is refused with the command that takes it`() async throws {
        let daemon = try await TestDaemon()
        try Change.write("", to: daemon.box + "/own")
        // As the manual makes a mark.
        let command = "mkdir -p .gather && od -An -N16 -tx1 /dev/urandom | tr -d ' ' > .gather/container"
        let shell = ChildProcess(path: "/bin/sh", ["-c", "cd '\(daemon.box)' && \(command)"])
        #expect(await shell.result().status == 0)
        #expect(await daemon.gather("find", "kind == 'file' AND NOT name == 'container'").text == daemon.box + "/own\n")
        try FileManager.default.moveItem(atPath: daemon.box, toPath: daemon.directory + "/away")
        try Change.directory(daemon.box)
        try Change.write("", to: daemon.box + "/foreign")

        let refused = await daemon.gather("find", "kind == 'file'")
        #expect(refused.text.isEmpty, "\(refused)")
        let reason = "another directory is at its path, without the container's .gather/container"
        let listed = await daemon.gather("container", "list", "--json")
        #expect(listed.text.contains(reason), "\(listed)")
        #expect(listed.text.contains("'gather container accept box' takes it"), "\(listed)")
        let doctor = await daemon.gather("doctor")
        #expect(doctor.text.contains("gather container accept box"), "\(doctor)")

        let accepted = await daemon.gather("container", "accept", "box")
        #expect(accepted.status == 0 && accepted.text.hasPrefix("box: "), "\(accepted)")
        #expect(await daemon.gather("find", "kind == 'file'").text == daemon.box + "/foreign\n")
        // Once more changes nothing.
        #expect(await daemon.gather("container", "accept", "box").text == "box: live, 1 item in 1 directory\n")
    }

    @Test func `Only a directory that is there is accepted`() async throws {
        let daemon = try await TestDaemon()
        let unknown = await daemon.gather("container", "accept", "nothing")
        #expect(unknown.status == 1 && unknown.errors.contains("nothing"), "\(unknown)")
        try FileManager.default.removeItem(atPath: daemon.box)
        let missing = await daemon.gather("container", "accept", "box")
        #expect(missing.status == 1 && missing.errors.contains("No such file or directory"), "\(missing)")
        #expect(await daemon.gather("container", "accept").status == 64)
    }
}
