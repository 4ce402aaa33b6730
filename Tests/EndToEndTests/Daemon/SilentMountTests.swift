// The programs beside a mount whose server does not answer.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@Suite(.needsRoot("a file system of FUSE", if: FuseServer.isAvailable))
struct SilentMountTests {
    /// The server never answers. A daemon that waited for it itself could not even be killed.
    @Test func daemonWithSilentMountAnswersAndEndsAndRestarts() async throws {
        var server: FuseServer?
        let daemon = try await TestDaemon { box in
            for name in ["/d", "/mount"] { mkdir(box + name, 0o755) }
            close(open(box + "/d/f", O_CREAT | O_WRONLY, 0o644))
            server = try FuseServer(on: box + "/mount", isSilent: true)
        }
        let silent = try #require(server)
        defer { silent.end() }
        let (box, mount) = (daemon.box, daemon.box + "/mount")
        let found = await daemon.gather("find", "kind == 'file' OR kind == 'directory'")
        #expect(Set(found.lines) == [box + "/d", box + "/d/f", mount], "\(found)")
        let doctor = await daemon.gather("doctor")
        #expect(doctor.text.contains("\(mount) (fuse.test) does not answer"), "\(doctor)")
        let scoped = await daemon.gather("find", "--in", mount, "kind == 'file'")
        #expect(scoped.status != 0)
        #expect(scoped.errors.contains("\(mount) (fuse.test) does not answer"), "\(scoped)")
        try silent.awaitRequest()
        try await daemon.untilSaved()
        let result = await daemon.terminate()
        #expect(result.status == 0, "\(result)")

        try await daemon.restart()
        close(open(box + "/d/g", O_CREAT | O_WRONLY, 0o644))
        let rescan = await daemon.gather("container", "rescan", "box")
        #expect(rescan.status == 0, "\(rescan)")
        let again = await daemon.gather("find", "kind == 'file' OR kind == 'directory'")
        #expect(Set(again.lines) == [box + "/d", box + "/d/f", box + "/d/g", mount], "\(again)")
        let end = await daemon.terminate()
        #expect(end.status == 0, "\(end)")
    }

    @Test func commandWithoutDaemonAnswersBesideSilentMount() async throws {
        let daemon = try await TestDaemon()
        mkdir(daemon.box + "/mount", 0o755)
        let server = try FuseServer(on: daemon.box + "/mount", isSilent: true)
        defer { server.end() }
        let found = await ChildProcess(.gather, ["find", "--embedded", "--in", daemon.box, "name == 'mount'"]).result()
        #expect(found.lines == [daemon.box + "/mount"], "\(found)")
    }
}
