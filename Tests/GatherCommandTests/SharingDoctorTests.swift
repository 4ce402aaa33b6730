// The findings of gather doctor about sharing.
// SPDX-License-Identifier: Apache-2.0

import GatherKit
import Testing

@testable import gather

struct SharingDoctorTests {
    private func findings(
        isShared: Bool = true, _ answer: Result<[SharingFinding], DaemonFacts.Failure>
    ) -> [Finding] {
        var machine = MadeUpMachine()
        machine.change { $0.containers[0].isShared = isShared }
        machine.sharingAnswer = answer
        let fine = MadeUpMachine().examined()
        return machine.examined().filter { !fine.contains($0) }
    }

    @Test func nothingIsSaidWhileNothingIsShared() {
        #expect(findings(isShared: false, .failure(DaemonFacts.Failure(message: "away"))).isEmpty)
    }

    @Test func goodSettingsAreFine() {
        #expect(
            findings(.success([]))
                == [Finding(.fine, "sharing", "1 container is shared, and Syncthing has the right settings")])
    }

    @Test func helperThatIsAwayIsAProblem() {
        let text = "gather-syncd cannot be reached at /run/x: no helper listens there"
        let found = findings(.failure(DaemonFacts.Failure(message: text + ". Start it with: start the helper")))
        #expect(
            found == [
                Finding(
                    .problem, "sharing",
                    text + "; containers are not shared meanwhile, and sync attributes are unknown",
                    command: "start the helper")
            ])
        let denied = findings(.failure(DaemonFacts.Failure(message: "you may not", isDenied: true)))
        #expect(denied == [Finding(.note, "sharing", "you may not", command: "sudo gather doctor")])
    }

    @Test func helperIsAskedAboutContainersOfTheConfigurationToo() {
        var machine = MadeUpMachine()
        machine.answer = .failure(MadeUpMachine.stopped)
        machine.files = .success(
            ConfigurationFacts(containers: [ContainerFacts(identifier: "box", path: "/srv/box", isShared: true)]))
        machine.sharingAnswer = .failure(DaemonFacts.Failure(message: "away"))
        #expect(machine.examined().contains { $0.subject == "sharing" && $0.level == .problem })
    }

    @Test func findingsHaveLevelsAndCommands() {
        let found = findings(
            .success([
                SharingFinding(
                    kind: .maxConflicts, container: "box", message: "maxConflicts is 10", remedy: "gather share box"),
                SharingFinding(
                    kind: .clock, device: "A", message: "the clock of attic is 90 s behind",
                    remedy: "set the clocks with NTP"),
                SharingFinding(kind: .oldVersion, message: "Syncthing 1.19.2 carries no tags"),
                SharingFinding(
                    kind: .paused, message: "a folder is paused",
                    remedy: "systemctl start syncthing@USER, or systemctl --user start syncthing"),
                SharingFinding(kind: .conflict, container: "box", message: "2 versions\u{1B}"),
                SharingFinding(kind: SharingFinding.Kind(rawValue: "somethingNew"), message: "x"),
            ]))
        #expect(
            found == [
                Finding(.problem, "box", "maxConflicts is 10", command: "gather share box"),
                Finding(.warning, "sharing", "the clock of attic is 90 s behind; set the clocks with NTP"),
                Finding(.note, "sharing", "Syncthing 1.19.2 carries no tags"),
                Finding(
                    .warning, "sharing",
                    "a folder is paused; systemctl start syncthing@USER, or systemctl --user start syncthing"),
                Finding(.note, "box", "2 versions\\e"), Finding(.warning, "sharing", "x"),
            ])
    }
}
