// The doctor's findings and advice on machines of which something is missing.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import Testing

@testable import gather

struct DoctorTests {
    /// The findings to mend on a machine that differs so from one that is well.
    private func complaints(
        place: Doctor<MadeUpMachine>.Place = .system, _ change: (inout MadeUpMachine) -> Void
    ) -> [Finding] {
        var machine = MadeUpMachine()
        change(&machine)
        return machine.examined(place).filter { $0.level >= .warning }
    }

    @Test func `Where everything is there, there is nothing to mend, and each part was looked at`() {
        let findings = MadeUpMachine().examined()
        #expect(findings.allSatisfy { $0.level == .fine }, "\(findings)")
        #expect(
            Set(findings.map(\.subject)) == ["daemon", "units", "access", "configuration", "limits", "box", "state"])
    }

    @Test func `Too few watches`() {
        let found = complaints { $0.change { $0.containers[0].directories = 60_000 } }
        #expect(
            found == [
                Finding(
                    .problem, "limits",
                    "60,000 directories need an inotify watch and gatherd may use 52,428 (watch-share 0.8 of fs.inotify.max_user_watches = 65,536); the other directories are polled",
                    command:
                        "echo 'fs.inotify.max_user_watches = 262144' | sudo tee /etc/sysctl.d/61-gatherd-user-watches.conf && "
                        + "sudo sysctl -p /etc/sysctl.d/61-gatherd-user-watches.conf && sudo gather reload")
            ])
        #expect(complaints { $0.change { $0.containers[0].directories = 50_000 } }.map(\.level) == [.warning])
        let polled = complaints { $0.change { ($0.containers[0].polled, $0.containers[0].overLimit) = (7, 7) } }
        #expect(polled.map(\.subject) == ["limits", "box"])
    }

    @Test func `A queue that overflowed, a limit that counts from the next start, few instances and files`() throws {
        let overflowed = complaints { $0.change { $0.overflows = 3 } }
        #expect(overflowed.map(\.level) == [.warning])
        #expect(overflowed[0].text.contains("overflowed 3 times"))
        let anew = "sudo systemctl restart gatherd"
        #expect(try #require(overflowed[0].command).hasSuffix("&& " + anew))
        #expect(try #require(overflowed[0].command).contains("max_queued_events = 131072"))
        var machine = MadeUpMachine()
        machine.texts["/proc/sys/fs/inotify/max_queued_events"] = "131072"
        let raised = try #require(machine.examined().first { $0.level == .note })
        #expect(
            raised.text == "the kernel's queue of 16,384 events; it holds 131,072 after a restart of gatherd")
        #expect(raised.command == anew)
        machine.change { $0.overflows = 3 }
        #expect(
            machine.examined().filter { $0.level == .warning }.map(\.command) == [anew], "the limit is raised already")
        #expect(
            complaints { $0.texts["/proc/sys/fs/inotify/max_user_instances"] = "8" }.map(\.text)
                == [
                    "fs.inotify.max_user_instances lets a user have only 8 inotify instances, and each program that watches files takes one"
                ])
        #expect(
            complaints { $0.texts["/proc/77/limits"] = "Max open files            1024                 4096  files\n" }
                .count == 1)
        #expect(
            complaints { $0.texts["/proc/sys/fs/inotify/max_user_watches"] = nil }.map(\.subject) == ["limits"])
    }

    @Test func `Units that are not there, masked, failed, off, or changed`() {
        func unit(_ changes: [String: String], socket: [String: String] = [:], runs: Bool = false) -> [Finding] {
            complaints {
                $0.service?.merge(changes) { $1 }
                $0.socketUnit.merge(socket) { $1 }
                if !runs { $0.answer = .failure(MadeUpMachine.stopped) }
            }.filter { $0.subject == "units" }
        }
        #expect(unit(["LoadState": "not-found"]).map(\.command) == ["sudo apt-get install \"$(Packaging/deb)\""])
        #expect(unit(["LoadState": "not-found"], runs: true).isEmpty)
        #expect(unit(["LoadState": "masked"]).map(\.command) == ["sudo systemctl unmask gatherd.service"])
        #expect(unit(["LoadState": "bad-setting"]).map(\.level) == [.problem])
        #expect(
            unit(["ActiveState": "failed", "Result": "exit-code"]).map(\.text)
                == ["gatherd.service has failed (exit-code)"])
        #expect(unit(["ActiveState": "inactive"]).isEmpty, "the socket starts it")
        #expect(
            unit(["ActiveState": "inactive"], socket: ["ActiveState": "inactive"]).map(\.command)
                == ["sudo systemctl start gatherd"])
        #expect(
            unit(["UnitFileState": "disabled"], socket: ["UnitFileState": "disabled"], runs: true).map(\.command)
                == ["sudo systemctl enable gatherd.socket gatherd.service"])
        #expect(unit(["NeedDaemonReload": "yes"], runs: true).map(\.level) == [.warning])
        #expect(unit(["MemoryHigh": "20971520"], runs: true).count == 1)
        var machine = MadeUpMachine()
        machine.service?["DropInPaths"] = "/etc/systemd/system/gatherd.service.d/a.conf"
        machine.service?["NRestarts"] = "2"
        #expect(machine.examined().filter { $0.level == .note }.count == 2)
        machine.service = nil
        #expect(machine.examined().contains { $0.level == .note && $0.subject == "units" })
    }

    @Test func `No daemon, and all the same as much as can be known`() {
        let found = complaints {
            $0.answer = .failure(MadeUpMachine.stopped)
            $0.files = .success(
                ConfigurationFacts(
                    containers: [
                        ContainerFacts(identifier: "box", path: "/srv/box"),
                        ContainerFacts(identifier: "gone", path: "/srv/gone"),
                        ContainerFacts(identifier: "ann", path: "/home/ann"),
                    ], leftOut: ["a.toml:3: no"]))
            $0.entries["/srv/box/closed"] = MadeUpMachine.directory(0o710)
            $0.entries["/srv/box/open"] = MadeUpMachine.directory(0o750, 0, 50)
        }
        #expect(found.map(\.subject) == ["daemon", "configuration", "box", "gone", "ann"])
        #expect(found[0] == Finding(.problem, "daemon", "no daemon listens there", command: "start it"))
        #expect(found[1].text == "a.toml:3: no")
        #expect(
            found[2].text
                == "1 of 3 directories looked at (/srv/box/closed) cannot be read by gatherd, so their contents are in no answer; leave them closed if they should be, or open them with:"
        )
        #expect(
            found[2].command
                == "sudo find /srv/box/closed -xdev -type d -exec setfacl -m u:gatherd:rx,d:u:gatherd:rx {} +")
        #expect(found[3].command == "namei -l /srv/gone; findmnt --fstab", "it is not made: it may not be mounted")
        #expect(
            found[4]
                == Finding(
                    .problem, "ann",
                    "gatherd may not read /home/ann (mode 700, ann:ann), in the home directory of ann; a gatherd of ann may watch it",
                    command: "sudo gather container remove ann"))
        let wrong = complaints { $0.files = .failure(.init(message: "gatherd.toml:2: what?")) }
        #expect(wrong.map(\.command) == ["sudo gatherd --check-config"], "without root it looks at the user's files")
    }

    @Test func `A queue that was raised and overflows again, and overflows that are long past`() throws {
        func finding(_ limit: Int, _ overflows: Int, uptime: Int? = nil) -> Finding? {
            var machine = MadeUpMachine()
            machine.texts["/proc/sys/fs/inotify/max_queued_events"] = "\(limit)\n"
            machine.change {
                $0.metrics["gatherd_queue_limit"] = Double(limit)
                $0.overflows = overflows
                $0.uptime = uptime
            }
            return machine.examined().first { $0.text.contains("queue") }
        }
        #expect(finding(131_072, 0)?.level == .fine)
        #expect(finding(131_072, 2)?.level == .warning)
        #expect(try #require(finding(131_072, 2)?.command).contains("max_queued_events = 262144"))
        #expect(try #require(finding(1_000_000, 2)?.command).contains("max_queued_events = 1048576"))
        #expect(finding(1 << 20, 2)?.command == "gather top", "a longer one is no help")
        #expect(finding(131_072, 2, uptime: 86_400)?.level == .warning)
        #expect(finding(131_072, 2, uptime: 3 * 86_400)?.level == .note)
    }

    @Test func `Directories that are their owners' alone may be meant to be`() {
        func levels(_ mode: UInt16, count: Int = 1) -> [Finding.Level] {
            var machine = MadeUpMachine()
            machine.entries["/srv/box/closed"] = MadeUpMachine.directory(mode)
            machine.change { $0.containers[0].unreadable = count }
            return machine.examined().filter { $0.subject == "box" }.map(\.level)
        }
        #expect(levels(0o700) == [.note])
        #expect(levels(0o750) == [.warning])
        #expect(levels(0o700, count: 2) == [.warning], "there is another that was not seen")
        #expect(levels(0o700, count: 0) == [.fine])
    }

    @Test func `Commands are for the daemon that was meant, and root's for the system's`() {
        var machine = MadeUpMachine()
        machine.change {
            $0.containers[0].state = "crawling"
            $0.containers[0].directories = 60_000
        }
        machine.fileSystems["/srv/box"] = "nfs"
        machine.mounts += ["/srv/box/disk"]
        machine.entries["/var/lib/gatherd"] = nil
        func commands(_ place: Doctor<MadeUpMachine>.Place, _ words: String) -> [String] {
            machine.examined(place, words: words).compactMap(\.command)
        }
        let user = commands(.user, " --user")
        #expect(user.contains("gather container add --user NAME /srv/box/disk"))
        #expect(user.contains("gather container rescan --user box"))
        #expect(user.contains("gather container list --wait --user"))
        #expect(user.contains { $0.hasSuffix("&& gather reload --user") })
        let other = commands(.other, " --socket /s")
        #expect(other.contains("gather container add --socket /s NAME /srv/box/disk"))
        #expect(other.contains { $0.hasSuffix("&& gather reload --socket /s") })
        let system = commands(.system, " --system")
        #expect(system.contains("sudo gather container add --system NAME /srv/box/disk"))
        #expect(system.contains("gather container list --wait --system"))
        machine.files = .success(ConfigurationFacts())
        machine.answer = .failure(MadeUpMachine.stopped)
        #expect(commands(.user, "").contains("gather container add NAME DIRECTORY"))
        #expect(commands(.system, "").contains("sudo gather container add NAME DIRECTORY"))
    }

    @Test func `A configuration that the daemon may not read, and one that only root may`() {
        func found(_ change: (inout MadeUpMachine) -> Void) -> [Finding] {
            var machine = MadeUpMachine()
            machine.caller = Credentials(user: 0, groups: [0])
            change(&machine)
            return machine.examined().filter { $0.subject == "configuration" && $0.level != .fine }
        }
        #expect(
            found { $0.entries["/etc/gatherd/containers.d/box.toml"] = MadeUpMachine.file(0o600) } == [
                Finding(
                    .problem, "configuration",
                    "gatherd may not read /etc/gatherd/containers.d/box.toml (mode 600, root:root): a reload is refused, and the next start fails",
                    command:
                        "chgrp gatherd /etc/gatherd/containers.d/box.toml && chmod g+r /etc/gatherd/containers.d/box.toml"
                )
            ])
        #expect(found { $0.entries["/etc/gatherd/containers.d"] = MadeUpMachine.directory(0o711) }.count == 1)
        #expect(found { $0.entries["/etc/gatherd"] = MadeUpMachine.directory(0o744) }.count == 1)
        #expect(found { $0.entries["/etc/gatherd"] = MadeUpMachine.directory(0o711) }.isEmpty)
        #expect(found { $0.entries["/etc/gatherd/gatherd.toml"] = MadeUpMachine.file(0o640, 0, 990) }.isEmpty)
        #expect(found { $0.entries["/etc/gatherd/containers.d/note"] = MadeUpMachine.file(0o600) }.isEmpty)
        let closed = found {
            $0.caller = Credentials(user: 1000, groups: [1000])
            $0.entries["/etc/gatherd/gatherd.toml"] = MadeUpMachine.file(0o640, 0, 990)
            $0.files = .failure(.init(message: "cannot be read"))
        }
        #expect(closed.map(\.level) == [.note] && closed.map(\.command) == ["sudo gather doctor"])
    }

    @Test func `A daemon that sleeps is not started by looking`() {
        var machine = MadeUpMachine()
        machine.service?["ActiveState"] = "inactive"
        let findings = machine.examined()
        #expect(findings.first?.level == .note && findings.first?.text.hasPrefix("gatherd does not run") == true)
        #expect(!findings.contains { $0.text.contains("answers at") || $0.level >= .warning })
        machine.service?["ActiveState"] = "failed"
        #expect(machine.examined().filter { $0.level >= .warning }.map(\.subject) == ["units"])
        machine.socketUnit["ActiveState"] = "inactive"
        #expect(machine.examined().contains { $0.text.contains("answers at") }, "another may listen there")
    }

    @Test func `A way that is closed above a container, for the process that runs`() {
        func found(_ change: (inout MadeUpMachine) -> Void) -> [Finding] {
            complaints {
                $0.entries["/home/ann/box"] = MadeUpMachine.directory(0o755, 1000, 1000)
                $0.change {
                    $0.containers = [
                        ContainerFacts(
                            identifier: "box", path: "/home/ann/box", state: "unavailable", reason: "Permission denied")
                    ]
                }
                change(&$0)
            }
        }
        #expect(
            found { _ in } == [
                Finding(
                    .problem, "box",
                    "gatherd may not search /home/ann (mode 700, ann:ann), in the home directory of ann; a gatherd of ann may watch it",
                    command: "sudo gather container remove box")
            ])
        // However the home is written, and for a person whom only another service knows, such as LDAP.
        let passwd = "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::%:/bin/sh\ngatherd:x:990:990::/:/bin/false\n"
        for home in ["/home/ann/", "//home//ann", "/people/ann", "/elsewhere"] {
            let advice = found {
                $0.texts["/etc/passwd"] = passwd.replacing("%", with: home)
                $0.links["/people/ann"] = "/home/ann"
                if home == "/elsewhere" { $0.entries["/home/ann"] = MadeUpMachine.directory(0o700, 1500, 1500) }
            }
            #expect(advice.map(\.command) == ["sudo gather container remove box"], "\(home)")
        }
        let reading = found {
            $0.texts["/proc/77/status"] = $0.texts["/proc/77/status"]?.replacing(
                "0000000000000000", with: "0000000000000004")
        }
        #expect(reading.map(\.text) == ["it is unavailable: Permission denied"], "CAP_DAC_READ_SEARCH")
        let member = found { $0.entries["/home/ann"] = MadeUpMachine.directory(0o710, 1000, 50) }
        #expect(member.map(\.text) == ["it is unavailable: Permission denied"], "a group of the process")
        let hidden = found {
            $0.entries["/home/ann"] = MadeUpMachine.directory(0o755)
            $0.service?["ProtectHome"] = "yes"
        }
        #expect(hidden.map(\.text) == ["/home/ann/box is hidden from gatherd by ProtectHome=yes"])
    }

    @Test func `Directories that cannot be read, file systems that do not tell, and mounts`() {
        let unreadable = complaints { $0.change { $0.containers[0].unreadable = 1 } }
        #expect(unreadable.map(\.level) == [.warning])
        #expect(unreadable[0].text.hasPrefix("1 directory cannot be read by gatherd"))
        var machine = MadeUpMachine()
        machine.fileSystems["/srv/box"] = "nfs"
        machine.change { $0.containers[0].polled = 100 }
        machine.mounts += ["/srv/box/disk", "/srv/boxes"]
        let notes = machine.examined().filter { $0.level != .fine }
        #expect(notes.map(\.level) == [.note, .note])
        #expect(notes.first?.text.hasPrefix("nfs does not report") == true)
        #expect(notes.last?.command == "sudo gather container add NAME /srv/box/disk")
    }

    /// A filter of system calls, or a disk that fails: no access list helps.
    @Test func `A daemon that may read everything gets no access list`() throws {
        let found = complaints {
            $0.texts["/proc/77/status"] =
                "Name:\tgatherd\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGroups:\t0\nCapEff:\t000001ffffffffff\n"
            $0.change {
                $0.containers[0].unreadable = 1
                $0.containers[0].unreadablePaths = ["/srv/box"]
            }
        }
        #expect(
            found.filter { $0.subject == "box" } == [
                Finding(
                    .warning, "box",
                    "1 directory (/srv/box) cannot be read by root, so their contents are in no answer; permissions are not "
                        + "the reason, which the log has", command: "sudo journalctl -u gatherd -n 30")
            ])
    }

    /// Directories that another container has by another path are polled, whatever the limits are.
    @Test func `Polled directories are no lack of watches`() throws {
        let reason = "1 of 3 directories are polled: another container has them too, by another path, and watches them"
        let found = complaints {
            $0.change {
                $0.containers[0].polled = 1
                $0.containers[0].state = "degraded"
                $0.containers[0].reason = reason
            }
        }
        #expect(found == [Finding(.warning, "box", "it is degraded: \(reason)")])
    }

    @Test func `Callers without permission`() {
        func found(_ change: (inout MadeUpMachine) -> Void) -> [Finding] {
            complaints {
                $0.caller = Credentials(user: 1000, groups: [1000])
                $0.answer = .failure(DaemonFacts.Failure(message: "no", isDenied: true))
                change(&$0)
            }
        }
        #expect(found { _ in }.map(\.command) == ["newgrp gatherd"])
        #expect(
            found { $0.texts["/etc/group"] = "gatherd:x:990:\n" }.map(\.command) == ["sudo adduser ann gatherd"])
        let alone = found {
            $0.entries["/run/gatherd/io.gatherd"]?.access = FileAccess(
                mode: 0o600, owner: 0, group: 0, accessList: .none)
        }
        #expect(alone.map(\.text) == ["/run/gatherd/io.gatherd is for root alone"])
    }

    @Test func `The state: whose, how open, and how much room`() {
        #expect(
            complaints { $0.entries["/var/lib/gatherd"] = MadeUpMachine.directory(0o755, 0, 0) }.map(\.command)
                == ["sudo chown -R gatherd: /var/lib/gatherd", "sudo chmod 700 /var/lib/gatherd"])
        #expect(complaints { $0.free = 100 << 20 }.map(\.command) == ["df -h /var/lib/gatherd"])
        #expect(complaints { $0.entries["/var/lib/gatherd"] = nil }.map(\.level) == [.warning])
        let unsaved = complaints { $0.change { $0.metrics["gatherd_changes_unsaved"] = 1 } }
        #expect(unsaved.map(\.level) == [.problem])
        let full = complaints {
            $0.change {
                $0.savingError = "/var/lib/gatherd/saved: No space left on device"
                $0.unsavedSince = "10:21"
            }
        }
        #expect(
            full == [
                Finding(
                    .problem, "state",
                    "gatherd cannot save its state since 10:21: /var/lib/gatherd/saved: No space left on device; after a restart it would compare all containers, and live queries would start over",
                    command: "findmnt -T /var/lib/gatherd; df -h /var/lib/gatherd")
            ])
    }

    @Test func aFullDiskOfAContainerIsNamed() {
        func found(_ room: RoomFacts, isShared: Bool = false) -> [Finding] {
            complaints {
                $0.rooms["/srv/box"] = room
                $0.change { $0.containers[0].isShared = isShared }
            }
        }
        let full = found(RoomFacts(free: 4_096, size: 1 << 30))
        #expect(
            full == [
                Finding(
                    .warning, "box", "4.1k free on the disk of /srv/box, so nothing can be saved there",
                    command: "df -h /srv/box")
            ])
        #expect(found(RoomFacts(free: 0, size: 4_096)).count == 1)
        let files = found(RoomFacts(free: 1 << 30, size: 1 << 40, freeFiles: 0))
        #expect(files.map(\.command) == ["df -i /srv/box"])
        #expect(files[0].text.hasPrefix("no more files can be made on the disk of"))
        // Syncthing needs more.
        #expect(found(RoomFacts(free: 9 << 20, size: 1 << 30)).isEmpty)
        let shared = found(RoomFacts(free: 9 << 20, size: 1 << 30), isShared: true)
        #expect(shared.map(\.text) == ["9.5M free on the disk of /srv/box, so Syncthing fetches nothing"])
        #expect(found(RoomFacts(free: 11 << 20, size: 1 << 30), isShared: true).isEmpty)
        // An image that no program writes to, and a file system that does not tell.
        #expect(found(RoomFacts(free: 0, size: 1 << 30, isReadOnly: true)).isEmpty)
        #expect(found(RoomFacts(free: 0, size: 0)).isEmpty)
    }

    @Test func containersWithOneNameButForCaseAreNamed() {
        let found = complaints {
            $0.entries["/srv/Box"] = MadeUpMachine.directory(0o755)
            $0.entries["/srv/BOX"] = MadeUpMachine.directory(0o755)
            $0.change { facts in
                for name in ["Box", "BOX"] {
                    facts.containers.append(ContainerFacts(identifier: name, path: "/srv/" + name, state: "live"))
                }
            }
        }
        #expect(found.map(\.subject) == ["BOX"])
        #expect(found[0].text.hasPrefix("the name differs from 'Box' and 'box' in upper and lower case alone"))
    }

    @Test func missingContentTypesAreAFinding() {
        #expect(complaints { $0.change { $0.contentTypes = 800 } }.isEmpty)
        let found = complaints { $0.change { $0.contentTypes = 0 } }
        #expect(found.map(\.level) == [.warning])
        #expect(
            found.map(\.command)
                == ["sudo apt-get install shared-mime-info && sudo systemctl restart gatherd"])
    }

    @Test func withoutSystemdNoCommandIsForSystemd() {
        var machine = MadeUpMachine()
        machine.entries["/run/systemd/system"] = nil
        machine.service = nil
        machine.texts["/proc/77/limits"] = "Max open files            1024                 4096  files\n"
        machine.texts["/proc/sys/fs/inotify/max_queued_events"] = "131072"
        machine.change {
            $0.version = "2.0"
            $0.contentTypes = 0
            $0.containers[0].state = "unavailable"
            $0.savingError = "full"
        }
        let findings = machine.examined()
        #expect(findings.count { $0.level >= .note } >= 6, "\(findings)")
        #expect(findings.compactMap(\.command).allSatisfy { !$0.contains("systemctl") && !$0.contains("journalctl") })
    }

    // MARK: Directories that cannot be read

    @Test func unreadableDirectoriesAreNamedWithTheirNumber() throws {
        func found(_ count: Int, _ paths: [String]) throws -> Finding {
            try #require(
                complaints {
                    $0.change { ($0.containers[0].unreadable, $0.containers[0].unreadablePaths) = (count, paths) }
                }.first)
        }
        let few = try found(2, ["/srv/box/a b", "/srv/box/c"])
        #expect(
            few.text
                == "2 directories (/srv/box/a b, /srv/box/c) cannot be read by gatherd, so their contents are in no answer; leave them closed if they should be, or open them with:"
        )
        #expect(
            few.command
                == "sudo find '/srv/box/a b' /srv/box/c -xdev -type d -exec setfacl -m u:gatherd:rx,d:u:gatherd:rx {} +"
        )
        let many = try found(40, ["/srv/box/1", "/srv/box/2", "/srv/box/3", "/srv/box/4", "/srv/box/5"])
        #expect(many.text.hasPrefix("40 directories (/srv/box/1, /srv/box/2, /srv/box/3 and 37 more) cannot be read"))
        #expect(many.command?.hasPrefix("sudo find /srv/box -xdev") == true)
        let strange = try found(1, ["/srv/box/\u{FFFD}"])
        #expect(strange.command?.hasPrefix("sudo find /srv/box -xdev") == true, "its bytes are not known")
    }

    @Test(arguments: ["/", "/etc", "/etc/ssl", "/var/lib/x", "/usr/share", "/proc", "/lib64", "/root/box"])
    func inASystemTreeNoAccessListIsAdvised(path: String) {
        let found = complaints {
            $0.entries[path] = MadeUpMachine.directory(0o755)
            for parent in ["/etc", "/var", "/var/lib", "/usr", "/root"] {
                $0.entries[parent] = MadeUpMachine.directory(0o755)
            }
            $0.change {
                $0.containers[0].path = path
                ($0.containers[0].unreadable, $0.containers[0].unreadablePaths) = (1, [path + "/private"])
            }
        }.filter { $0.subject == "box" }
        #expect(found.count == 1 && found.first?.command == "man 8 gatherd", "\(found)")
        #expect(found.first?.text.contains("in a system tree no access list is advised") == true)
    }

    @Test func homesAndServedDataAreNoSystemTrees() {
        for path in ["/home/ann", "/srv/box", "/mnt/disk", "/media/x", "/data", "/homelib"] {
            #expect(!Doctor<MadeUpMachine>.isSystemTree(path), "\(path)")
        }
    }

    @Test func `A daemon of one's own, and one with a socket of its own`() {
        var machine = MadeUpMachine()
        machine.entries["/var/lib/gatherd"] = MadeUpMachine.directory(0o700, 990, 990)
        machine.change { $0.version = "2.0" }
        #expect(
            machine.examined(.user).first { $0.level == .warning }?.command == "systemctl --user restart gatherd")
        let other = machine.examined(.other)
        #expect(!other.contains { ["units", "configuration", "state"].contains($0.subject) })
        machine.caller = Credentials(user: 0, groups: [0])
        #expect(
            machine.examined().first { $0.level == .warning }?.command == "systemctl restart gatherd",
            "root needs no sudo")
    }

    @Test func `Lines have a command below them`() {
        let lines = DoctorCommand.lines(
            [Finding(.problem, "box", "it is gone", command: "mkdir /x"), Finding(.fine, "limits", "enough")],
            color: false)
        #expect(lines == ["problem  box     it is gone", "                 mkdir /x", "ok       limits  enough"])
    }
}
