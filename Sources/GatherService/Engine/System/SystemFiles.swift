// Files of the system beside the containers that answers depend on: accounts, time zones and content types.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import LinuxSystem

/// The names of accounts, the time zones and the content types, with one watch for the files of the first two. Event loop only.
final class SystemFiles {
    /// The content types of this machine, as they were when the daemon started.
    let types: ContentTypeDatabase
    let zones: TimeZones
    private(set) var names: AccountNames

    private let hasChanged: @Sendable () -> Void
    private let hasFailed: (SystemError) -> Void
    /// Nil before a live query depends on such files, and where they cannot be watched.
    private var watch: DirectoryWatch?
    private var hasTriedWatch = false
    /// The clock when a time zone was found to have other rules, and how many such changes are known.
    private var zonesChanged: UInt64?
    private var zoneChangesSeen = 0

    /// - Parameters:
    ///   - hasChanged: Called from another thread after a change beside a watched file, once until ``arm()``.
    ///   - hasFailed: Called once if files cannot be watched.
    init(
        types: ContentTypeDatabase, zones: TimeZones, names: AccountNames, hasChanged: @escaping @Sendable () -> Void,
        hasFailed: @escaping (SystemError) -> Void
    ) {
        (self.types, self.zones, self.names) = (types, zones, names)
        (self.hasChanged, self.hasFailed) = (hasChanged, hasFailed)
    }

    /// Forgets all names of accounts: they are asked for again.
    func forgetNames() { names = names.forgotten() }

    /// Returns the daemon's clock at which the rules of a time zone were other ones for sure; nil if they were always those of now.
    /// To be called when a question was read, with the clock of now, so that its zone is that of now.
    func lastChangeOfZones(now sequence: UInt64) -> UInt64? {
        if zones.changes != zoneChangesSeen { (zoneChangesSeen, zonesChanged) = (zones.changes, sequence) }
        return zonesChanged
    }

    /// Watches the directories of files, and of the files to which their links lead.
    func watch(_ paths: [String]) {
        if watch == nil, !hasTriedWatch {
            hasTriedWatch = true
            do throws(SystemError) {
                watch = try DirectoryWatch(wake: hasChanged)
            } catch {
                hasFailed(error)
            }
        }
        guard let watch else { return }
        for path in Set(paths + paths.compactMap(MountPaths.resolve)) {
            guard let slash = path.lastIndex(of: "/") else { continue }
            // A file that is nowhere cannot change. A directory that cannot be watched is looked at with each question.
            try? watch.add(slash == path.startIndex ? "/" : String(path[..<slash]))
        }
    }

    /// Waits for the next change.
    func arm() { watch?.arm() }

    func close() {
        watch?.stop()
        watch = nil
    }
}
