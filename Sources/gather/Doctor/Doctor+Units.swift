// Examines the units of systemd: whether they exist, run, and give the daemon access.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

extension Doctor {
    private static var properties: [String] {
        [
            "LoadState", "ActiveState", "UnitFileState", "Result", "NRestarts", "DropInPaths",
            "NeedDaemonReload", "User", "SupplementaryGroups", "AmbientCapabilities", "ProtectHome", "PrivateTmp",
            "MemoryHigh",
        ]
    }

    /// Reads the units from systemd. Must be called before the daemon is, since a connection would start a stopped one.
    mutating func askUnits() {
        guard place != .other else { return }
        units = UnitStates.read(facts, isUser: place == .user, Self.properties)
    }

    /// Whether systemd holds the socket, and no daemon runs.
    var isAsleep: Bool { UnitStates.isAsleep(units) }

    mutating func examineUnits() {
        guard place != .other else { return }
        guard !units.isEmpty else {
            return note(
                .note, "units",
                hasSystemd
                    ? "systemctl does not answer, so the units were not examined"
                    : "systemd does not run on this machine, so there are no units to examine")
        }
        guard let service = units["gatherd.service"] else { return }
        let socket = units["gatherd.socket"] ?? [:]
        switch service["LoadState"] {
        case "not-found":
            let level: Finding.Level = daemon == nil ? .problem : .note
            return note(
                level, "units", "gatherd.service is not installed; a package is made from the sources of Gather",
                command: asRoot("apt-get install \"$(Packaging/deb)\""))
        case "masked":
            return note(.problem, "units", "gatherd.service is masked", command: systemctl("unmask gatherd.service"))
        case "loaded", nil: break
        case .some(let state):
            return note(
                .problem, "units", "gatherd.service cannot be loaded: \(state)",
                command: "systemd-analyze verify gatherd.service")
        }
        examineActivity(service, socket)
        if service["NeedDaemonReload"] == "yes" {
            note(
                .warning, "units", "the unit's files were changed since systemd read them",
                command: [systemctl("daemon-reload"), restart].compactMap { $0 }.joined(separator: " && "))
        }
        if let count = service["NRestarts"].flatMap({ Int($0) }), count > 0 {
            note(
                .note, "units", "systemd has started gatherd again \(Readable.count(count, "time", "times"))",
                command: journal)
        }
        let dropIns = (service["DropInPaths"] ?? "").split(separator: " ")
        if !dropIns.isEmpty {
            note(
                .note, "units", "changed by \(dropIns.joined(separator: ", "))",
                command: place == .user ? "systemctl --user cat gatherd" : "systemctl cat gatherd")
        }
        if let high = service["MemoryHigh"].flatMap({ Double($0) }),
            let resident = daemon?.metrics["gatherd_resident_memory_bytes"], resident > 0.9 * high
        {
            note(
                .warning, "units",
                "gatherd uses \(Readable.size(Int64(resident))) of memory, near its limit of \(Readable.size(Int64(high))) (MemoryHigh)",
                command: systemctl("edit gatherd"))
        }
    }

    private mutating func examineActivity(_ service: [String: String], _ socket: [String: String]) {
        let isEnabled = [service, socket].contains { $0["UnitFileState"]?.hasPrefix("enabled") == true }
        switch service["ActiveState"] {
        case "failed":
            note(.problem, "units", "gatherd.service has failed (\(service["Result"] ?? "?"))", command: journal)
        case "active", "reloading", "activating":
            note(.fine, "units", "gatherd.service is active\(isEnabled ? " and enabled" : "")")
        default:
            if socket["ActiveState"] == "active" {
                note(.fine, "units", "gatherd.socket listens; the first connection starts gatherd.service")
            } else {
                note(
                    daemon == nil ? .problem : .note, "units", "gatherd.service is not active",
                    command: systemctl("start gatherd"))
            }
        }
        if !isEnabled {
            note(
                .warning, "units",
                "the units are not enabled, so gatherd does not start with the machine",
                command: systemctl("enable gatherd.socket gatherd.service"))
        }
    }
}
