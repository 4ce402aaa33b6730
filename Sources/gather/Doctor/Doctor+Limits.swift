// The limits of the kernel and of the process, against what is needed of them.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

extension Doctor {
    private func limit(_ name: String) -> Int? {
        facts.text(of: "/proc/sys/fs/inotify/\(name)")?.split(separator: "\n").first.flatMap { Int($0) }
    }

    /// A command that sets a limit now and at each start of the machine.
    private func setting(_ name: String, _ value: Int) -> String {
        let file = "/etc/sysctl.d/61-gatherd-\(name.split(separator: "_").dropFirst().joined(separator: "-")).conf"
        return "echo 'fs.inotify.\(name) = \(value)' | \(asRoot("tee \(file)")) && \(asRoot("sysctl -p \(file)"))"
    }

    mutating func examineLimits() {
        examineWatches()
        examineQueue()
        if let instances = limit("max_user_instances"), instances < 16 {
            note(
                .warning, "limits",
                "a user may have \(Readable.count(instances, "inotify instance", "inotify instances")) only",
                command: setting("max_user_instances", 128))
        }
        examineFiles()
    }

    private mutating func examineWatches() {
        guard let most = limit("max_user_watches") else {
            return note(
                .warning, "limits",
                "fs.inotify.max_user_watches cannot be read, so it is not known how much can be watched")
        }
        let share = configuration?.watchShare ?? 0.8
        let allowed = daemon?.watchLimit ?? Int(Double(most) * share)
        let needed = containers.reduce(0) { $0 + $1.directories }
        let used = daemon?.watches.map { ", \(Readable.count($0)) in use" } ?? ""
        let text = "\(Readable.count(allowed)) inotify watches may be in use\(used)"
        let isShort =
            needed > allowed || containers.contains { $0.polled > 0 && facts.polledFileSystem(at: $0.path) == nil }
        guard isShort || needed * 10 > allowed * 9 else { return note(.fine, "limits", text) }
        // With room for as many again.
        var wanted = 8_192
        while Double(wanted) * share < Double(max(needed, allowed) * 2) { wanted *= 2 }
        note(
            isShort ? .problem : .warning, "limits",
            "\(text), and \(Readable.count(needed, "directory wants", "directories want")) one"
                + (isShort ? ": the others are polled" : ""),
            command: setting("max_user_watches", wanted)
                + (daemon == nil ? "" : " && " + gather("reload", isRoots: true)))
    }

    private mutating func examineQueue() {
        guard let most = limit("max_queued_events") else { return }
        let overflows = daemon?.overflows ?? 0
        // Of one that runs it is the one that was in force when its queue was made.
        let inForce = (daemon?.metrics["gatherd_queue_limit"]).map { Int(clamping: Int64($0)) } ?? most
        let times = Readable.count(overflows, "time", "times")
        let text =
            "the kernel's queue of \(Readable.count(inForce)) events"
            + (overflows > 0 ? " has overflowed \(times); each costs a comparison" : "")
        let level: Finding.Level = LostEvents.areMany(overflows, uptime: daemon?.uptime) ? .warning : .note
        if most > inForce {
            note(
                level, "limits", text + "; \(Readable.count(most)) after a restart of gatherd",
                command: restart)
        } else if overflows > 0, inForce < LostEvents.longestQueue {
            let wanted = min(max(2 * inForce, LostEvents.usualQueue), LostEvents.longestQueue)
            note(
                level, "limits", text,
                command: setting("max_queued_events", wanted) + (restart.map { " && " + $0 } ?? ""))
        } else if overflows > 0 {
            note(level, "limits", text + "; what changes so much is seen in:", command: gather("top"))
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
            .warning, "limits", "gatherd may open \(Readable.count(soft)) files, so it serves few connections at once",
            command: place == .other ? "ulimit -n 65536" : systemctl("edit gatherd") + "  # [Service] LimitNOFILE=65536"
        )
    }
}
