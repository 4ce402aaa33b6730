// A machine that is as a test wants it.
// SPDX-License-Identifier: Apache-2.0

import GatherKit
import Metadata

@testable import gather

/// A machine on which everything that gatherd needs is there, until a test takes some of it away.
struct MadeUpMachine: SystemFacts {
    var caller = Credentials(user: 1000, groups: [1000, 990])
    var texts: [String: String] = [
        "/etc/passwd":
            "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\ngatherd:x:990:990::/:/bin/false\n",
        "/etc/group": "root:x:0:\nann:x:1000:\ngatherd:x:990:ann\nstaff:x:50:gatherd\n",
        "/proc/sys/fs/inotify/max_user_watches": "65536\n",
        "/proc/sys/fs/inotify/max_queued_events": "16384\n",
        "/proc/sys/fs/inotify/max_user_instances": "128\n",
        "/proc/77/status":
            "Name:\tgatherd\nUid:\t990\t990\t990\t990\nGid:\t990\t990\t990\t990\nGroups:\t50 \nCapEff:\t0000000000000000\n",
        "/proc/77/limits":
            "Limit  Soft Limit  Hard Limit  Units\nMax open files            65536                65536                files\n",
    ]
    /// The paths that symbolic links lead to.
    var links: [String: String] = [:]
    var entries: [String: EntryFacts] = [
        "/": directory(0o755), "/srv": directory(0o755), "/srv/box": directory(0o755),
        "/home": directory(0o755), "/home/ann": directory(0o700, 1000, 1000), "/tmp": directory(0o777),
        "/var/lib/gatherd": directory(0o700, 990, 990),
        "/etc/gatherd": directory(0o755), "/etc/gatherd/containers.d": directory(0o755),
        "/run/systemd/system": directory(0o755),
        "/etc/gatherd/gatherd.toml": file(0o644), "/etc/gatherd/containers.d/box.toml": file(0o644),
        "/run/gatherd/io.gatherd": EntryFacts(
            access: FileAccess(mode: 0o660, owner: 0, group: 990, accessList: .none), isDirectory: false, isSocket: true
        ),
    ]
    var free: UInt64 = 50 << 30
    /// The room at paths where it is not ``free``.
    var rooms: [String: RoomFacts] = [:]
    var fileSystems: [String: String] = [:]
    var mounts = ["/", "/proc"]
    /// Why the mount at a path does not answer.
    var silentMounts: [String: String] = [:]
    /// Properties of the units; nil without systemd.
    var service: [String: String]? = [
        "Id": "gatherd.service", "LoadState": "loaded", "ActiveState": "active", "UnitFileState": "enabled",
        "User": "gatherd",
        "ProtectHome": "read-only", "PrivateTmp": "no", "NRestarts": "0", "DropInPaths": "", "NeedDaemonReload": "no",
        "MemoryHigh": "1073741824", "AmbientCapabilities": "",
    ]
    var socketUnit = [
        "Id": "gatherd.socket", "LoadState": "loaded", "ActiveState": "active", "UnitFileState": "enabled",
    ]
    var answer: Result<DaemonFacts, DaemonFacts.Failure> = .success(
        DaemonFacts(
            version: "1.0", process: 77, watches: 101, watchLimit: 52_428,
            containers: [ContainerFacts(identifier: "box", path: "/srv/box", state: "live", directories: 100)],
            metrics: ["gatherd_queue_limit": 16_384, "gatherd_resident_memory_bytes": 20e6]))
    var files: Result<ConfigurationFacts, ConfigurationFacts.Failure> = .success(
        ConfigurationFacts(containers: [ContainerFacts(identifier: "box", path: "/srv/box")]))

    var sharingAnswer: Result<[SharingFinding], DaemonFacts.Failure> = .success([])

    static func directory(_ mode: UInt16, _ owner: UInt32 = 0, _ group: UInt32 = 0) -> EntryFacts {
        EntryFacts(access: FileAccess(mode: mode, owner: owner, group: group, accessList: .none), isDirectory: true)
    }

    static func file(_ mode: UInt16, _ owner: UInt32 = 0, _ group: UInt32 = 0) -> EntryFacts {
        EntryFacts(access: FileAccess(mode: mode, owner: owner, group: group, accessList: .none), isDirectory: false)
    }

    /// No daemon answers.
    static let stopped = DaemonFacts.Failure(message: "no daemon listens there. Start it with: it")

    func text(of path: String) -> String? { texts[path] }
    func entry(at path: String) -> Result<EntryFacts, EntryFacts.Failure> {
        entries[path].map { .success($0) } ?? .failure(EntryFacts.Failure(code: ErrorCode.missing))
    }
    func directories(in path: String) -> [String]? {
        entries.filter { $0.value.isDirectory && $0.key.hasPrefix(path + "/") }.map { $0.key.dropFirst(path.count + 1) }
            .filter { !$0.contains("/") }.map(String.init)
    }
    func files(in path: String) -> [String]? {
        entries.filter { !$0.value.isDirectory && $0.key.hasPrefix(path + "/") }.map {
            $0.key.dropFirst(path.count + 1)
        }
        .filter { !$0.contains("/") }.map(String.init)
    }
    func resolved(_ path: String) -> String? { links[path] ?? (entries[path] == nil ? nil : path) }
    func room(at path: String) -> RoomFacts? { rooms[path] ?? RoomFacts(free: free, size: 100 << 30) }
    func polledFileSystem(at path: String) -> String? { fileSystems[path] }
    func mountPoints() -> [String] { mounts }
    func silentMount(at path: String) -> (path: String, reason: String)? { silentMounts[path].map { (path, $0) } }
    func output(of program: String, _ arguments: [String]) -> String? {
        guard program == "systemctl", arguments.contains("show"), let service else { return nil }
        func block(_ unit: [String: String]) -> String { unit.map { "\($0.key)=\($0.value)\n" }.joined() }
        return block(service) + "\n" + block(socketUnit)
    }
    func daemon() -> Result<DaemonFacts, DaemonFacts.Failure> { answer }
    func sharing() -> Result<[SharingFinding], DaemonFacts.Failure> { sharingAnswer }
    func configuration(_ file: String) -> Result<ConfigurationFacts, ConfigurationFacts.Failure> { files }

    mutating func change(_ body: (inout DaemonFacts) -> Void) {
        guard case .success(var facts) = answer else { return }
        body(&facts)
        answer = .success(facts)
    }

    func examined(_ place: Doctor<MadeUpMachine>.Place = .system, words: String = "") -> [Finding] {
        var doctor = Doctor(
            self, place: place, socket: "/run/gatherd/io.gatherd", words: words, startCommand: "start it",
            helperStartCommand: "start the helper", version: "1.0",
            configurationFile: "/etc/gatherd/gatherd.toml", stateDirectory: "/var/lib/gatherd")
        return doctor.examine()
    }
}
