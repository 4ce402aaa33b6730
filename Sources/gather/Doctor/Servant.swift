// The user that the daemon runs as, and the names of accounts.
// SPDX-License-Identifier: Apache-2.0

internal import Metadata

/// The user that the daemon runs as.
struct Servant {
    let name: String
    let credentials: Credentials
    /// Whether it may read and search every directory (CAP_DAC_READ_SEARCH or CAP_DAC_OVERRIDE).
    let readsEverything: Bool
}

/// The accounts in this machine's files. A statically linked program has no other source of names.
struct Accounts {
    private var users: [(name: String, user: UInt32, group: UInt32, home: String)] = []
    private var groups: [(name: String, group: UInt32, members: [Substring])] = []

    init(_ facts: some SystemFacts) {
        for line in (facts.text(of: "/etc/passwd") ?? "").split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count > 3, let user = UInt32(fields[2]), let group = UInt32(fields[3]) else { continue }
            users.append((String(fields[0]), user, group, fields.count > 5 ? String(fields[5]) : ""))
        }
        for line in (facts.text(of: "/etc/group") ?? "").split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count > 3, let group = UInt32(fields[2]) else { continue }
            groups.append((String(fields[0]), group, fields[3].split(separator: ",")))
        }
    }

    func user(_ number: UInt32) -> String { users.first { $0.user == number }?.name ?? "\(number)" }
    func group(_ number: UInt32) -> String { groups.first { $0.group == number }?.name ?? "\(number)" }
    func group(named name: String) -> UInt32? { groups.first { $0.name == name }?.group }

    /// Returns whether a number is that of a person's account: from `UID_MIN` of login.defs(5) on, without `nobody` and the dynamic
    /// users of systemd.
    private static func isPerson(_ user: UInt32) -> Bool {
        user >= 1_000 && !(61_184...65_534).contains(user)
    }

    /// Returns the name of another person, or of root, whose home directory a path is or lies in; nil for all other places. A directory
    /// of a person without an account in the file, such as one of LDAP, counts as their home.
    ///
    /// - Parameters:
    ///   - path: The path, without symbolic links.
    ///   - owner: The owner of the directory.
    ///   - user: The user who may be given access to a directory of their own.
    ///   - facts: Resolves the paths of home directories.
    func person(ofHomeAt path: String, owner: UInt32?, except user: UInt32, _ facts: some SystemFacts) -> String? {
        if let owner, owner != user, Accounts.isPerson(owner), !users.contains(where: { $0.user == owner }) {
            return "user \(owner)"
        }
        return users.first { account in
            guard account.user != user, account.user == 0 || Accounts.isPerson(account.user),
                account.home.hasPrefix("/")
            else { return false }
            let named = account.home.split(separator: "/").reduce(into: "") { $0 += "/" + $1 }
            let home = facts.resolved(named) ?? named
            return !["", "/"].contains(home) && (path == home || path.hasPrefix(home + "/"))
        }?.name
    }

    func isMember(_ user: String, of group: UInt32) -> Bool {
        users.contains { $0.name == user && $0.group == group }
            || groups.contains { $0.group == group && $0.members.contains { $0 == user } }
    }

    func credentials(ofUser name: String) -> Credentials? {
        guard let user = users.first(where: { $0.name == name }) else { return nil }
        let member = groups.filter { $0.members.contains { $0 == name } }.map(\.group)
        return Credentials(user: user.user, groups: member + [user.group])
    }
}

extension Doctor {
    /// Returns the user of the running daemon, or the user that the daemon would run as.
    func findServant() -> Servant? {
        let accounts = Accounts(facts)
        if let process = daemon?.process, let status = facts.text(of: "/proc/\(process)/status") {
            return Doctor.servant(status, accounts)
        }
        switch place {
        case .other: return nil
        case .user:
            let caller = facts.caller
            return Servant(name: accounts.user(caller.user), credentials: caller, readsEverything: caller.user == 0)
        case .system:
            let properties = units["gatherd.service"] ?? [:]
            let name = properties["User"].flatMap { $0.isEmpty ? nil : $0 } ?? "gatherd"
            guard var credentials = accounts.credentials(ofUser: name) else { return nil }
            let more = (properties["SupplementaryGroups"] ?? "").split(separator: " ")
                .compactMap { accounts.group(named: String($0)) ?? UInt32($0) }
            credentials = Credentials(user: credentials.user, groups: credentials.groups + more)
            let capabilities = properties["AmbientCapabilities"] ?? ""
            return Servant(
                name: name, credentials: credentials,
                readsEverything: credentials.user == 0 || capabilities.contains("cap_dac_read_search")
                    || capabilities.contains("cap_dac_override"))
        }
    }

    /// Reads `/proc/PID/status` (proc(5)).
    private static func servant(_ status: String, _ accounts: Accounts) -> Servant? {
        var fields: [Substring: [Substring]] = [:]
        for line in status.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon]] = line[line.index(after: colon)...].split { $0 == " " || $0 == "\t" }
        }
        // The second number is the effective one.
        guard let users = fields["Uid"], users.count > 1, let user = UInt32(users[1]), let groups = fields["Gid"],
            groups.count > 1, let group = UInt32(groups[1])
        else { return nil }
        let capabilities = (fields["CapEff"]?.first).flatMap { UInt64($0, radix: 16) } ?? 0
        // CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH (capabilities(7)).
        let reading: UInt64 = 1 << 1 | 1 << 2
        return Servant(
            name: accounts.user(user),
            credentials: Credentials(user: user, groups: (fields["Groups"] ?? []).compactMap { UInt32($0) } + [group]),
            readsEverything: capabilities & reading != 0)
    }
}
