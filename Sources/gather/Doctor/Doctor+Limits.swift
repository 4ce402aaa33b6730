// Compares the limits of the kernel and of the process with the need.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

extension Doctor {
    private func limit(_ name: String) -> Int? { number("/proc/sys/fs/inotify/\(name)") }

    private func number(_ path: String) -> Int? {
        facts.text(of: path)?.split(separator: "\n").first.flatMap { Int($0) }
    }

    /// Returns a command that sets a limit with sysctl(8), now and at each boot.
    private func setting(_ key: String, _ value: Int) -> String {
        let name = key.split(separator: "_").dropFirst().joined(separator: "-")
        let file = "/etc/sysctl.d/61-gatherd-\(key.hasPrefix("user.") ? "namespace-" : "")\(name).conf"
        return "echo '\(key) = \(value)' | \(asRoot("tee \(file)")) && \(asRoot("sysctl -p \(file)"))"
    }

    mutating func examineLimits() {
        examineWatches()
        examineQueue()
        examineInstances()
        examineFiles()
    }

    private mutating func examineWatches() {
        guard let kernelLimit = limit("max_user_watches") else {
            return note(
                .warning, "limits",
                "fs.inotify.max_user_watches cannot be read, so the number of possible watches is unknown")
        }
        let limit = WatchLimit(
            kernelLimit: kernelLimit, namespaceLimit: number("/proc/sys/user/max_inotify_watches"),
            isInNamespace: isInUserNamespace, share: daemon?.watchShare ?? configuration?.watchShare,
            allowed: daemon?.watchLimit, used: daemon?.watches,
            needed: containers.reduce(0) { $0 + $1.directories },
            isPolled: containers.contains { $0.overLimit > 0 })
        let used = daemon?.watches.map { "gatherd uses \(Readable.count($0)) of" } ?? "gatherd may use"
        guard limit.isShort || limit.isNearlyShort else {
            return note(
                .fine, "limits", "\(used) \(Readable.count(limit.allowed)) inotify watches (\(limit.origin))")
        }
        let needed = Readable.count(limit.needed, "directory needs", "directories need")
        let text =
            "\(needed) an inotify watch and gatherd may use \(Readable.count(limit.allowed)) (\(limit.origin))"
            + (limit.isShort ? "; the other directories are polled" : "")
        note(limit.isShort ? .problem : .warning, "limits", text + remark(limit), command: command(limit))
    }

    /// Returns the part of the advice that the command lacks.
    private func remark(_ limit: WatchLimit) -> String {
        switch limit.advice {
        case .share where place == .other: "; raise watch-share in the configuration file"
        case .parent: "; raise fs.inotify.max_user_watches on the host, for the user who made the namespace"
        case .none: "; the limit cannot be raised further, so leave directories out with 'ignore'"
        case .share, .limits: ""
        }
    }

    private func command(_ limit: WatchLimit) -> String? {
        let reload = daemon == nil ? "" : " && " + gather("reload", isRoots: true)
        switch limit.advice {
        case .share(let share):
            guard place != .other else { return nil }
            let edit = "sed -i 's/^watch-share.*/watch-share = \(share)/' \(ShellText.quoted(configurationFile))"
            return (place == .system ? asRoot(edit) : edit) + reload
        case .limits(let settings): return settings.map { setting($0.key, $0.value) }.joined(separator: " && ") + reload
        case .parent(let value): return "sudo sysctl -w fs.inotify.max_user_watches=\(value)  # on the host"
        case .none: return nil
        }
    }

    /// Whether the daemon runs in a user namespace of its own. The initial namespace maps every number to itself
    /// (user_namespaces(7)).
    private var isInUserNamespace: Bool {
        let map = facts.text(of: "/proc/\(daemon.map { "\($0.process)" } ?? "self")/uid_map") ?? ""
        let fields = map.split { $0 == " " || $0 == "\n" }.compactMap { UInt64($0) }
        return !fields.isEmpty && fields != [0, 0, UInt64(UInt32.max)]
    }

    private mutating func examineInstances() {
        for key in ["fs.inotify.max_user_instances", "user.max_inotify_instances"] {
            let path = "/proc/sys/" + key.replacing(".", with: "/")
            guard let instances = number(path), instances < Self.leastInstances else { continue }
            note(
                .warning, "limits",
                "\(key) lets a user have only \(Readable.count(instances, "inotify instance", "inotify instances")), "
                    + "and each program that watches files takes one",
                command: setting(key, Self.usualInstances))
        }
    }

    /// The least useful limit. The programs of a desktop reach a lower one.
    private static var leastInstances: Int { 16 }
    /// The kernel's default.
    private static var usualInstances: Int { 128 }

    private mutating func examineQueue() {
        guard let most = limit("max_queued_events") else { return }
        let overflows = daemon?.overflows ?? 0
        // The queue of a running daemon has the limit that was in force when it was made.
        let inForce = (daemon?.metrics["gatherd_queue_limit"]).map { Int(clamping: Int64($0)) } ?? most
        let times = Readable.count(overflows, "time", "times")
        let text =
            "the kernel's queue of \(Readable.count(inForce)) events"
            + (overflows > 0 ? " has overflowed \(times); after each, gatherd compares all containers" : "")
        let level: Finding.Level = LostEvents.areMany(overflows, uptime: daemon?.uptime) ? .warning : .note
        if most > inForce {
            note(
                level, "limits", text + "; it holds \(Readable.count(most)) after a restart of gatherd",
                command: restart)
        } else if overflows > 0, inForce < LostEvents.longestQueue {
            let wanted = min(max(2 * inForce, LostEvents.usualQueue), LostEvents.longestQueue)
            note(
                level, "limits", text,
                command: setting("fs.inotify.max_queued_events", wanted) + (restart.map { " && " + $0 } ?? ""))
        } else if overflows > 0 {
            note(level, "limits", text + "; this command shows the busiest containers:", command: gather("top"))
        } else {
            note(.fine, "limits", "the kernel's queue takes \(Readable.count(inForce)) events")
        }
    }

    private mutating func examineFiles() {
        guard let process = daemon?.process, let text = facts.text(of: "/proc/\(process)/limits") else { return }
        let line = text.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        guard let soft = line?.split(separator: " ").dropFirst(3).first.flatMap({ Int($0) }), soft < 4_096 else {
            return
        }
        note(
            .warning, "limits",
            "gatherd may open only \(Readable.count(soft)) files, so it serves few connections at once",
            command: place == .other ? "ulimit -n 65536" : editUnit("LimitNOFILE=65536")
        )
    }
}
