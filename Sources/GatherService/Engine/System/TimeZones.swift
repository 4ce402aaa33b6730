// The time zones of callers, and the daemon's own.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata
import SaveFiles
import Synchronization

/// The time zones of callers, and the daemon's own. A file is read once, and again when it was replaced or written. Safe from any
/// thread.
final class TimeZones: Sendable {
    private struct Known {
        let version: FileStamp
        let zone: LocalZone
    }

    private let files: ZoneFiles
    private struct State {
        /// By path, at most ``Limits/timeZones``.
        var known: [String: Known] = [:]
        var changes = 0
    }

    private let state = Mutex(State())

    init(_ files: ZoneFiles) { self.files = files }

    /// Returns the zone of a text of tzset(3): a name of the database, or a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`. Without a
    /// text, returns the daemon's own. Nil for an unknown text.
    ///
    /// The text comes from a caller. A path leads nowhere, except to the database and to the file that the daemon's own variable
    /// `TZ` names. Complexity: one stat(2) if the zone is known, else one small file.
    func zone(_ text: String?) -> LocalZone? {
        guard let text else { return own }
        if text == files.own, text.hasPrefix("/") { return zone(inFile: text) }
        guard text.utf8.count <= ZoneFiles.longestText else { return nil }
        return zone(named: name(text))
    }

    /// How often a zone was found to have other rules than before.
    var changes: Int { state.withLock { $0.changes } }

    /// The file that has the zone of a text, to be watched; none for an unknown text and for a rule.
    func paths(of text: String?) -> [String] {
        guard let text, text != files.own else {
            guard let own = files.own else { return [files.local] }
            return own.hasPrefix("/") ? [own] : [files.path(of: own)].compactMap(\.self)
        }
        return [files.path(of: name(text))].compactMap(\.self)
    }

    /// The name in a text, which may be written with a colon before it, and with the directory of the database.
    private func name(_ text: String) -> String {
        let name = text.hasPrefix(":") ? text.dropFirst() : text[...]
        return String(name.hasPrefix(files.directory + "/") ? name.dropFirst(files.directory.count + 1) : name)
    }

    /// The zone of the daemon's variable `TZ`, which may name any file, or that of `/etc/localtime`. Where neither can be read,
    /// it is the one that the C library makes of it, which is universal time.
    private var own: LocalZone {
        guard let text = files.own else { return zone(inFile: files.local) ?? .process }
        return (text.hasPrefix("/") ? zone(inFile: text) : zone(named: text)) ?? .process
    }

    private func zone(named name: String) -> LocalZone? {
        if let path = files.path(of: name), let zone = zone(inFile: path) { return zone }
        // These are known without a database.
        if ["", "UTC", "GMT"].contains(name) { return LocalZone(.utc) }
        return ZoneRules(text: name).map { LocalZone($0) }
    }

    private func zone(inFile path: String) -> LocalZone? {
        // Looked at before the file is read: if it changes in between, it is read once more.
        guard let version = FileStamp(following: path) else { return nil }
        if let known = state.withLock({ $0.known[path] }), known.version == version { return known.zone }
        guard let rules = ZoneFiles.contents(of: path).flatMap({ ZoneRules(file: $0) }) else { return nil }
        let zone = LocalZone(rules)
        state.withLock { state in
            if let former = state.known[path], former.zone != zone { state.changes += 1 }
            if state.known.count >= Limits.timeZones { state.known = [:] }
            state.known[path] = Known(version: version, zone: zone)
        }
        return zone
    }
}
