// Findings about mounts whose server does not answer.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import gather

struct SilentMountDoctorTests {
    private func complaints(_ change: (inout MadeUpMachine) -> Void) -> [Finding] {
        var machine = MadeUpMachine()
        change(&machine)
        return machine.examined().filter { $0.level >= .warning }
    }

    @Test func containerOnSilentMountIsProblem() {
        #expect(
            complaints { $0.silentMounts["/srv/box"] = "does not answer" } == [
                Finding(
                    .problem, "box", "the file system at /srv/box does not answer; mend its server, or unmount it",
                    command: "sudo umount -l /srv/box")
            ])
    }

    @Test func degradedContainerIsWarningWithItsReason() {
        let degraded = complaints {
            $0.change {
                $0.containers[0].state = "degraded"
                $0.containers[0].reason = "the file system at /srv/box/m (fuse.sshfs) does not answer"
            }
        }
        #expect(
            degraded == [
                Finding(
                    .warning, "box",
                    "it is degraded: the file system at /srv/box/m (fuse.sshfs) does not answer")
            ])
        // A network file system is always polled, which is a note.
        let polled = complaints {
            $0.fileSystems["/srv/box"] = "nfs"
            $0.change { $0.containers[0].state = "degraded" }
        }
        #expect(polled == [])
    }

    /// Without a daemon, the command looks for unreadable directories itself.
    @Test func mountsInContainersAreNotLookedAt() {
        func unreadable(_ mounts: [String]) -> [Finding] {
            complaints {
                $0.answer = .failure(MadeUpMachine.stopped)
                $0.entries["/srv/box/mount"] = MadeUpMachine.directory(0o750)
                $0.mounts += mounts
            }.filter { $0.subject == "box" }
        }
        #expect(unreadable([]).count == 1)
        #expect(unreadable(["/srv/box/mount"]) == [])
    }
}
