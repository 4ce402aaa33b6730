// The descriptors that a service manager keeps while the daemon restarts.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import MetadataIndex

/// A descriptor with its name at the service manager.
package struct StoredDescriptor: Sendable, Hashable {
    /// The prefix of the names, by which they differ from those of sockets.
    package static let namePrefix = "gather-"

    package var name: String
    package var number: CInt

    package init(name: String, number: CInt) {
        self.name = name
        self.number = number
    }

    /// Closes descriptors that cannot be used, and tells the service manager.
    static func letGo(of passed: [StoredDescriptor], _ observer: any DaemonObserver) {
        guard !passed.isEmpty else { return }
        for descriptor in passed { close(descriptor.number) }
        observer.letGo(passed.map(\.name))
    }

    fileprivate static func eventsName(_ token: UInt64) -> String { namePrefix + "events-" + String(token, radix: 16) }
    fileprivate static func memoryName(_ token: UInt64) -> String { namePrefix + "memory-" + String(token, radix: 16) }
}

/// The inotify instance with its watches, and the memory that describes them: from the previous process, or new.
struct Handover {
    /// The inotify descriptor; nil for a new instance.
    var events: CInt?
    let memory: HandoverMemory
    /// The state to continue from; nil if there is none.
    var start: HandoverStart?
    /// The reason for which passed descriptors are not used.
    private(set) var obstacle: HandoverObstacle?
    let fingerprint: UInt64
    /// The names of passed descriptors that cannot be used.
    var useless: [String] = []

    /// Takes ownership of the passed descriptors. They belong together if their names have the number in the memory.
    /// They are usable if the run that wrote the memory also wrote the journal. Nil if no memory can be had.
    init?(_ passed: [StoredDescriptor], _ saved: RecoveredState, readsAccessLists: Bool) {
        fingerprint = Handover.fingerprint(
            readsAccessLists: readsAccessLists, queueLimit: Handover.text(of: Handover.queueLimit))
        var rest = passed
        for descriptor in passed where descriptor.name.hasPrefix(StoredDescriptor.namePrefix + "memory-") {
            rest.removeAll { $0 == descriptor }
            let place: Int
            let start: HandoverStart
            let memory: HandoverMemory
            do throws(HandoverObstacle) {
                guard let left = try? HandoverMemory(adopting: Descriptor(owning: descriptor.number)),
                    descriptor.name == StoredDescriptor.memoryName(left.token),
                    let events = rest.firstIndex(where: { $0.name == StoredDescriptor.eventsName(left.token) })
                else { throw .unusable }
                guard saved.isContinuation else { throw .otherJournal }
                start = try left.start(run: saved.lastRun, sequence: saved.sequence, fingerprint: fingerprint)
                (memory, place) = (left, events)
            } catch {
                useless.append(descriptor.name)
                obstacle = error
                continue
            }
            obstacle = nil
            events = rest.remove(at: place).number
            self.memory = memory
            self.start = start.without(saved.containers.values.filter(\.isRaised).map(\.index.epoch))
            useless += rest.map(\.name)
            for other in rest { close(other.number) }
            return
        }
        for other in rest { close(other.number) }
        useless += rest.map(\.name)
        guard let memory = try? HandoverMemory() else { return nil }
        self.memory = memory
    }

    /// Returns both descriptors, to be stored.
    func descriptors(events number: CInt) -> [StoredDescriptor] {
        [
            StoredDescriptor(name: StoredDescriptor.eventsName(memory.token), number: number),
            StoredDescriptor(name: StoredDescriptor.memoryName(memory.token), number: memory.descriptor),
        ]
    }

    /// An instance keeps the queue length of its creation (inotify(7)); a restart must pick up the present setting.
    private static let queueLimit = "/proc/sys/fs/inotify/max_queued_events"

    /// Returns a fingerprint of everything besides files that decides what the daemon sees: its user and groups, the
    /// metadata it reads, and its queue length.
    static func fingerprint(readsAccessLists: Bool, queueLimit: String) -> UInt64 {
        var fingerprint = Fingerprint()
        fingerprint.combine("\(HandoverMemory.circumstances) \(readsAccessLists) \(queueLimit)")
        let kept = ["Uid:", "Gid:", "Groups:", "CapEff:"]
        // proc_pid_status(5)
        let status = text(of: "/proc/self/status")
        for line in status.split(separator: "\n") where kept.contains(where: { line.hasPrefix($0) }) {
            fingerprint.combine(String(line))
        }
        return fingerprint.value
    }

    /// Returns the text of a file in /proc; empty if it cannot be read.
    private static func text(of path: String) -> String {
        guard let file = try? Entry.openForReading(path) else { return "" }
        return withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
            let count = (try? file.read(into: buffer)) ?? 0
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
