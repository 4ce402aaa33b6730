// Examines whether the daemon can reach and read each container, and receives its changes.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Metadata

extension Doctor {
    /// The number of directories that are examined for the daemon's access.
    private static var directoriesLookedAt: Int { 10_000 }

    mutating func examine(_ container: ContainerFacts) {
        let before = findings.count
        let name = container.identifier
        noteNamesake(of: container)
        guard reaches(container) else { return }
        examineSandbox(container)
        examineContents(container)
        let system = facts.polledFileSystem(at: container.path)
        if let system {
            note(
                .note, name,
                "\(system) does not report changes that other machines make: it is polled, which finds them later",
                command: gather("container rescan", ShellText.quoted(name)))
        } else if container.overLimit > 0 {
            note(
                .warning, name,
                "\(Readable.count(container.overLimit, "directory is", "directories are")) polled, because there are too few watches"
            )
        }
        noteMounts(in: container)
        noteRoom(for: container)
        switch container.state {
        case "unavailable" where !findings[before...].contains { $0.level >= .warning }:
            note(
                .problem, name, "it is unavailable: \(container.reason ?? "the reason is unknown")",
                command: journal)
        case "degraded" where system == nil && !findings[before...].contains { $0.level >= .warning }:
            note(.warning, name, "it is degraded: \(container.reason ?? "the reason is unknown")")
        case "crawling", "verifying":
            note(
                .note, name, "it is being read, and exact answers wait until it is",
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

    /// Follows the path to the container's directory as the daemon does. Returns whether the daemon reaches it.
    private mutating func reaches(_ container: ContainerFacts) -> Bool {
        let name = container.identifier
        if let mount = facts.silentMount(at: container.path) {
            note(
                .problem, name,
                "the file system at \(DisplayText.escaped(mount.path)) \(mount.reason); mend its server, or unmount it",
                command: asRoot("umount -l \(ShellText.quoted(mount.path))"))
            return false
        }
        guard let path = facts.resolved(container.path) else {
            // The caller may be unable to search a directory above.
            guard case .failure(let failure) = facts.entry(at: container.path), failure.code != ErrorCode.access else {
                note(
                    .note, name, "this user may not look at \(DisplayText.escaped(container.path)); root may",
                    command: lookAgain(at: container.path))
                return false
            }
            // Making the directory is not advised: files written there would land below a later mount.
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
            let fault =
                "\(servant.name) may not \(isRoot ? "read" : "search") \(DisplayText.escaped(way)) "
                + "(mode \(mode), \(accounts.user(entry.access.owner)):\(accounts.group(entry.access.group)))"
            // No advice opens the home of another user.
            let person = accounts.person(
                ofHomeAt: way, owner: entry.access.owner, except: servant.credentials.user, facts)
            if let person {
                note(
                    .problem, name, "\(fault), in the home directory of \(person); a gatherd of \(person) may watch it",
                    command: gather("container remove", ShellText.quoted(name), isRoots: true))
            } else {
                note(
                    .problem, name, fault,
                    command: asRoot("setfacl -m u:\(servant.name):\(isRoot ? "rx" : "x") \(ShellText.quoted(way))"))
            }
            return false
        }
        return true
    }

    /// Notes settings of the unit that hide the container from the daemon.
    private mutating func examineSandbox(_ container: ContainerFacts) {
        guard let service = units["gatherd.service"], let path = facts.resolved(container.path) else { return }
        func lies(in directories: [String]) -> Bool {
            directories.contains { path == $0 || path.hasPrefix($0 + "/") }
        }
        func hidden(by setting: String, _ better: String) {
            note(
                .problem, container.identifier, "\(DisplayText.escaped(path)) is hidden from gatherd by \(setting)",
                command: editUnit(better))
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

    /// The number of unreadable directories that are named.
    private static var directoriesNamed: Int { 3 }

    /// Notes the directories below that the daemon cannot read.
    private mutating func examineContents(_ container: ContainerFacts) {
        let name = container.identifier
        var count = container.unreadable
        guard container.state == nil || count > 0 else { return }
        var paths = container.unreadablePaths
        var text = "\(Readable.count(count, "directory", "directories"))"
        var isMeant = false
        if let servant, !servant.readsEverything {
            let seen = findUnreadable(below: container.path, servant)
            if container.state == nil {
                count = seen.unreadable
                text =
                    "\(Readable.count(count)) of \(Readable.count(seen.looked, "directory", "directories")) looked at"
            }
            if paths.isEmpty { paths = seen.paths }
            isMeant = seen.unreadable >= count && seen.unreadable == seen.ownersAlone
        }
        guard count > 0 else { return }
        let user = servant?.name ?? "gatherd"
        let named = paths.prefix(Self.directoriesNamed).map { DisplayText.escaped($0) }.joined(separator: ", ")
        let more = max(count - paths.prefix(Self.directoriesNamed).count, 0)
        if !named.isEmpty { text += " (\(named)\(more > 0 ? " and \(Readable.count(more)) more" : ""))" }
        text += " cannot be read by \(user), so their contents are in no answer"
        guard servant?.readsEverything != true else {
            return note(.warning, name, text + "; permissions are not the reason, which the log has", command: journal)
        }
        text += "; leave them closed if they should be"
        guard !Self.isSystemTree(facts.resolved(container.path) ?? container.path) else {
            return note(
                isMeant ? .note : .warning, name,
                text + "; in a system tree no access list is advised, and SECURITY in gatherd(8) has another way",
                command: "man 8 gatherd")
        }
        let accounts = Accounts(facts)
        let homes = Set(
            ([container.path] + paths).compactMap { path in
                accounts.person(
                    ofHomeAt: facts.resolved(path) ?? path, owner: (try? facts.entry(at: path).get())?.access.owner,
                    except: servant?.credentials.user ?? 0, facts)
            })
        guard homes.isEmpty else {
            return note(
                isMeant ? .note : .warning, name,
                text + "; some are in the home directory of \(homes.sorted().joined(separator: ", "))",
                command: gather("container remove", ShellText.quoted(name), isRoots: true))
        }
        // Directories only: a list on a file shows in the bits of the group, and ssh refuses a private key with such a
        // mode.
        let trees = paths.count == count && paths.allSatisfy { !$0.contains("\u{FFFD}") } ? paths : [container.path]
        note(
            isMeant ? .note : .warning, name, text + ", or open them with:",
            command: asRoot(
                "find \(trees.map { ShellText.quoted($0) }.joined(separator: " ")) -xdev -type d "
                    + "-exec setfacl -m u:\(user):rx,d:u:\(user):rx {} +"))
    }

    /// Whether a path is in a tree of the system (hier(7)). A recursive default access list would also open keys and
    /// spools that are made there later.
    static func isSystemTree(_ path: String) -> Bool {
        if path == "/" { return true }
        let first = path.split(separator: "/").first.map(String.init) ?? ""
        return systemTrees.contains(first) || first.hasPrefix("lib")
    }

    private static var systemTrees: Set<String> {
        ["bin", "boot", "dev", "etc", "opt", "proc", "root", "run", "sbin", "snap", "sys", "usr", "var"]
    }

    private struct Unreadable {
        var unreadable = 0
        /// Those with access for their owners only, which are rarely a mistake.
        var ownersAlone = 0
        var looked = 0
        var paths: [String] = []
    }

    /// Finds directories that the daemon cannot read among the first ``directoriesLookedAt``.
    private func findUnreadable(below root: String, _ servant: Servant) -> Unreadable {
        // The daemon does not enter other mounts, and a look at one may wait for its server.
        let mounts = Set(facts.mountPoints())
        var waiting = [facts.resolved(root) ?? root]
        var seen = Unreadable()
        while let directory = waiting.popLast(), seen.looked < Self.directoriesLookedAt {
            seen.looked += 1
            let entry = try? facts.entry(at: directory).get()
            if let entry, servant.credentials.may([.read, .search], entry.access) {
                waiting += (facts.directories(in: directory) ?? []).sorted().map { directory + "/" + $0 }
                    .filter { !mounts.contains($0) }
                continue
            }
            seen.unreadable += 1
            if let entry, entry.access.mode & 0o077 == 0 { seen.ownersAlone += 1 }
            if seen.paths.count <= Self.directoriesNamed { seen.paths.append(directory) }
        }
        return seen
    }

    /// Notes another container whose identifier differs in upper and lower case alone. They are from a time when such were added.
    private mutating func noteNamesake(of container: ContainerFacts) {
        let name = container.identifier
        let others = containers.map(\.identifier).filter { $0 != name && $0.lowercased() == name.lowercased() }
        // The first of them names the others.
        guard let first = others.min(), name < first else { return }
        note(
            .warning, name,
            "the name differs from \(others.sorted().map { "'\($0)'" }.joined(separator: " and ")) in upper and lower case alone; "
                + "add one of them under another name",
            command: gather("container list"))
    }

    /// The free space below which a disk counts as full, in bytes. Most documents do not fit in it.
    private static var leastRoom: UInt64 { 1 << 20 }

    /// The part of a disk that Syncthing leaves free by default, as its inverse.
    private static var reservedPart: UInt64 { 100 }

    /// Notes a full disk, on which programs cannot save in the container. A file system that is read-only is always full.
    private mutating func noteRoom(for container: ContainerFacts) {
        guard let path = facts.resolved(container.path), let room = facts.room(at: path), !room.isReadOnly,
            room.size > 0
        else { return }
        let isFull = room.free < Self.leastRoom || room.freeFiles == 0
        let stopsSharing = container.isShared && room.free < room.size / Self.reservedPart
        guard isFull || stopsSharing else { return }
        note(
            .warning, container.identifier,
            "\(room.text) on the disk of \(DisplayText.escaped(path)), so \(isFull ? "nothing can be saved there" : "Syncthing fetches nothing")",
            command: "df \(room.freeFiles == 0 ? "-i" : "-h") \(ShellText.quoted(path))")
    }

    /// Notes file systems mounted below, which are not part of the container.
    private mutating func noteMounts(in container: ContainerFacts) {
        guard let path = facts.resolved(container.path), path != "/" else { return }
        let others = Set(containers.compactMap { facts.resolved($0.path) })
        let mounted = facts.mountPoints().filter { $0.hasPrefix(path + "/") && !others.contains($0) }
        guard let first = mounted.min() else { return }
        let more = mounted.count > 1 ? " and \(Readable.count(mounted.count - 1, "other place", "other places"))" : ""
        note(
            .note, container.identifier,
            "the file system mounted on \(DisplayText.escaped(first))\(more) is not part of it",
            command: gather("container add", "NAME \(ShellText.quoted(first))", isRoots: true))
    }
}

/// The errno values that the examination distinguishes.
enum ErrorCode {
    static let missing: Int32 = 2
    static let access: Int32 = 13

    static func text(_ code: Int32) -> String { SystemMessage.text(code) }
}
