// The descriptors that a service manager keeps for the daemon while it is started again.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import MetadataIndex

/// A descriptor with the name that the service manager has for it.
package struct KeptDescriptor: Sendable, Hashable {
    /// What the names of all begin with, by which they are told from sockets.
    package static let namePrefix = "gather-"

    package var name: String
    package var number: CInt

    package init(name: String, number: CInt) {
        self.name = name
        self.number = number
    }

    /// Lets go of what nobody will go on with.
    static func letGo(of passed: [KeptDescriptor], _ observer: any DaemonObserver) {
        guard !passed.isEmpty else { return }
        for descriptor in passed { close(descriptor.number) }
        observer.letGo(passed.map(\.name))
    }

    fileprivate static func eventsName(_ token: UInt64) -> String { namePrefix + "events-" + String(token, radix: 16) }
    fileprivate static func memoryName(_ token: UInt64) -> String { namePrefix + "memory-" + String(token, radix: 16) }
}

/// The inotify instance with its watches, and the memory that says what they are of: what the daemon before this one has left,
/// or new ones.
struct KeptState {
    /// The inotify descriptor; nil for a new one.
    var events: CInt?
    let memory: KeptMemory
    /// What there is to go on with.
    var start: KeptStart?
    /// Why there is nothing, where something was left.
    private(set) var obstacle: KeptObstacle?
    let fingerprint: UInt64
    /// The names of those that were passed and are of no use.
    var useless: [String] = []

    /// Takes over what was passed, which is owned by this from now on. The two belong together where their names have the number
    /// that stands in the memory; they are of use where that was written by whom the journal was. Nil where there is no memory
    /// to be had.
    init?(_ passed: [KeptDescriptor], _ saved: SavedState, readsAccessLists: Bool) {
        fingerprint = KeptState.fingerprint(
            readsAccessLists: readsAccessLists, queueLimit: KeptState.text(of: KeptState.queueLimit))
        var rest = passed
        for descriptor in passed where descriptor.name.hasPrefix(KeptDescriptor.namePrefix + "memory-") {
            rest.removeAll { $0 == descriptor }
            let place: Int
            let start: KeptStart
            let memory: KeptMemory
            do throws(KeptObstacle) {
                guard let left = try? KeptMemory(adopting: Descriptor(owning: descriptor.number)),
                    descriptor.name == KeptDescriptor.memoryName(left.token),
                    let events = rest.firstIndex(where: { $0.name == KeptDescriptor.eventsName(left.token) })
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
        guard let memory = try? KeptMemory() else { return nil }
        self.memory = memory
    }

    /// Both, to be kept.
    func descriptors(events number: CInt) -> [KeptDescriptor] {
        [
            KeptDescriptor(name: KeptDescriptor.eventsName(memory.token), number: number),
            KeptDescriptor(name: KeptDescriptor.memoryName(memory.token), number: memory.descriptor),
        ]
    }

    /// An instance keeps the length that its queue was made with (inotify(7)); a restart is to give it what is set.
    private static let queueLimit = "/proc/sys/fs/inotify/max_queued_events"

    /// What decides what the daemon sees, beside the files: who it is, what it asks of them, and how long its queue is.
    static func fingerprint(readsAccessLists: Bool, queueLimit: String) -> UInt64 {
        var fingerprint = Fingerprint()
        fingerprint.combine("\(KeptMemory.circumstances) \(readsAccessLists) \(queueLimit)")
        let kept = ["Uid:", "Gid:", "Groups:", "CapEff:"]
        // proc_pid_status(5)
        let status = text(of: "/proc/self/status")
        for line in status.split(separator: "\n") where kept.contains(where: { line.hasPrefix($0) }) {
            fingerprint.combine(String(line))
        }
        return fingerprint.value
    }

    /// The text of a file in /proc; empty where it cannot be read.
    private static func text(of path: String) -> String {
        guard let file = try? Entry.openForReading(path) else { return "" }
        return withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
            let count = (try? file.read(into: buffer)) ?? 0
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
