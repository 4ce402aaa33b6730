// Each container: whether the daemon can get there, read it, and hear of what happens in it.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Metadata

extension Doctor {
    /// Directories that are looked at where no daemon says how many it cannot read.
    private static var directoriesLookedAt: Int { 10_000 }

    mutating func examine(_ container: ContainerFacts) {
        let before = findings.count
        let name = container.identifier
        guard reaches(container) else { return }
        examineSandbox(container)
        examineContents(container)
        if let system = facts.polledFileSystem(at: container.path) {
            note(
                .note, name, "\(system) does not report what is changed elsewhere: it is polled, and later for it",
                command: gather("container rescan", ShellText.quoted(name)))
        } else if container.polled > 0 {
            note(
                .warning, name,
                "\(Readable.count(container.polled, "directory is", "directories are")) polled, since there are too few watches"
            )
        }
        noteMounts(in: container)
        switch container.state {
        case "unavailable" where !findings[before...].contains { $0.level >= .warning }:
            note(
                .problem, name, "it is unavailable: \(container.reason ?? "no reason is known")",
                command: place == .other ? nil : journal)
        case "crawling", "verifying":
            note(
                .note, name, "it is being read; answers wait for that",
                command: gather("container list --wait"))
        default: break
        }
        if findings.count == before {
            let size =
                container.directories > 0
                ? ", \(Readable.count(container.directories, "directory", "directories"))" : ""
            note(.fine, name, "\(DisplayText.escaped(container.path)) is \(container.state ?? "readable")\(size)")
        }
    }

    /// Walks down to the container's directory as the daemon does.
    private mutating func reaches(_ container: ContainerFacts) -> Bool {
        let name = container.identifier
        guard let path = facts.resolved(container.path) else {
            // It may be that who looks may not search a directory above it.
            guard case .failure(let failure) = facts.entry(at: container.path), failure.code != ErrorCode.access else {
                note(
                    .note, name, "this user may not look at \(DisplayText.escaped(container.path)); root may",
                    command: lookAgain(at: container.path))
                return false
            }
            // Not to be made: where a disk is to be mounted, what is written would land below it.
            note(
                .problem, name,
                "\(DisplayText.escaped(container.path)): \(ErrorCode.text(failure.code))"
                    + (failure.code == ErrorCode.missing ? "; perhaps it is not mounted" : ""),
                command: "namei -l \(ShellText.quoted(container.path))"
                    + (failure.code == ErrorCode.missing ? "; findmnt --fstab" : ""))
            return false
        }
        guard let servant, !servant.readsEverything else { return true }
        var directory = ""
        var ways = ["/"]
        for part in path.split(separator: "/") {
            directory += "/" + part
            ways.append(directory)
        }
        for (place, way) in ways.enumerated() {
            guard case .success(let entry) = facts.entry(at: way) else { return true }
            let isRoot = place == ways.count - 1
            if isRoot, !entry.isDirectory {
                note(
                    .problem, name, "\(DisplayText.escaped(way)) is no directory",
                    command: "ls -ld \(ShellText.quoted(way))")
                return false
            }
            let wanted: Permissions = isRoot ? [.read, .search] : .search
            guard !servant.credentials.may(wanted, entry.access) else { continue }
            let accounts = Accounts(facts)
            let mode = String(entry.access.mode & 0o7777, radix: 8)
            note(
                .problem, name,
                "\(servant.name) may not \(isRoot ? "read" : "search") \(DisplayText.escaped(way)) "
                    + "(mode \(mode), \(accounts.user(entry.access.owner)):\(accounts.group(entry.access.group)))",
                command: asRoot("setfacl -m u:\(servant.name):\(isRoot ? "rx" : "x") \(ShellText.quoted(way))"))
            return false
        }
        return true
    }

    /// What the unit hides from its process.
    private mutating func examineSandbox(_ container: ContainerFacts) {
        guard let service = units["gatherd.service"], let path = facts.resolved(container.path) else { return }
        func lies(in directories: [String]) -> Bool {
            directories.contains { path == $0 || path.hasPrefix($0 + "/") }
        }
        func hidden(by setting: String, _ better: String) {
            note(
                .problem, container.identifier, "\(DisplayText.escaped(path)) is hidden from gatherd by \(setting)",
                command: systemctl("edit gatherd") + "  # [Service] \(better)")
        }
        if let home = service["ProtectHome"], home == "yes" || home == "tmpfs",
            lies(in: ["/home", "/root", "/run/user"])
        {
            hidden(by: "ProtectHome=\(home)", "ProtectHome=read-only")
        }
        if service["PrivateTmp"] == "yes", lies(in: ["/tmp", "/var/tmp"]) {
            hidden(by: "PrivateTmp=yes", "PrivateTmp=no")
        }
    }

    /// Directories below that the daemon cannot read.
    private mutating func examineContents(_ container: ContainerFacts) {
        let name = container.identifier
        var count = container.unreadable
        guard container.state == nil || count > 0 else { return }
        var text = "\(Readable.count(count, "directory", "directories")) below it cannot be read"
        var isMeant = false
        if let servant, !servant.readsEverything {
            let seen = countUnreadable(below: container.path, servant)
            if container.state == nil {
                count = seen.unreadable
                text =
                    "of \(Readable.count(seen.looked, "directory", "directories")) looked at \(Readable.count(count)) cannot be read"
            }
            isMeant = seen.unreadable >= count && seen.unreadable == seen.ownersAlone
        }
        guard count > 0 else { return }
        let user = servant?.name ?? "gatherd"
        // Directories alone: with a list on a file its mode shows the group's bits, and ssh refuses a key that others
        // seem to read.
        note(
            isMeant ? .note : .warning, name,
            text
                + " by \(user), so what lies in them is not known; leave closed what is meant to be, or open all to it",
            command: asRoot(
                "find \(ShellText.quoted(container.path)) -xdev -type d -exec setfacl -m u:\(user):rx,d:u:\(user):rx {} +"
            ))
    }

    /// Those that cannot be read, and of these those that are their owners' alone, which seldom is a mistake.
    private func countUnreadable(
        below root: String, _ servant: Servant
    ) -> (unreadable: Int, ownersAlone: Int, looked: Int) {
        var waiting = [root]
        var looked = 0
        var unreadable = 0
        var ownersAlone = 0
        while let directory = waiting.popLast(), looked < Self.directoriesLookedAt {
            looked += 1
            guard case .success(let entry) = facts.entry(at: directory) else {
                unreadable += 1
                continue
            }
            guard servant.credentials.may([.read, .search], entry.access) else {
                unreadable += 1
                if entry.access.mode & 0o077 == 0 { ownersAlone += 1 }
                continue
            }
            waiting += (facts.directories(in: directory) ?? []).map { directory + "/" + $0 }
        }
        return (unreadable, ownersAlone, looked)
    }

    /// What is mounted below is not entered.
    private mutating func noteMounts(in container: ContainerFacts) {
        guard let path = facts.resolved(container.path), path != "/" else { return }
        let others = Set(containers.compactMap { facts.resolved($0.path) })
        let mounted = facts.mountPoints().filter { $0.hasPrefix(path + "/") && !others.contains($0) }
        guard let first = mounted.min() else { return }
        let more = mounted.count > 1 ? " and \(Readable.count(mounted.count - 1, "other place", "other places"))" : ""
        note(
            .note, container.identifier,
            "what is mounted on \(DisplayText.escaped(first))\(more) is not part of it",
            command: gather("container add", "NAME \(ShellText.quoted(first))", isRoots: true))
    }
}

/// Errors of looking at files.
enum ErrorCode {
    static let missing: Int32 = 2
    static let access: Int32 = 13

    static func text(_ code: Int32) -> String { SystemMessage.text(code) }
}
