// The lines of the log about containers.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Logging
import Metadata
import MetadataIndex

/// Writes events of containers into the log, each with its consequence. Event loop only.
struct ContainerLog {
    let logger: Logger
    let containers: ContainerSet
    /// Whether directories are watched, so that a change of a mode is noticed.
    let isWatching: Bool
    let state: (ContainerRecord) -> WatchState

    /// Logs how a container begins, in one line, unless another line has told of it.
    func noteStart(of record: ContainerRecord) {
        guard record.logged.noteLine() else { return }
        let place = "container '\(record.identifier)' at \(record.configuration.path)"
        var metadata: Logger.Metadata = [
            "container": "\(record.identifier)", "path": "\(record.configuration.path)",
        ]
        switch state(record) {
        case .unavailable(let reason):
            metadata["message-id"] = "container-unavailable"
            logger.warning(
                "\(place) is unavailable: \(reason); gatherd reads it as soon as it is available; 'gather doctor' says what helps",
                metadata: metadata)
        case .verifying:
            logger.info(
                "\(place) is being compared with the file system; answers start with the saved state",
                metadata: metadata)
        case .crawling:
            logger.info("\(place) is being read; exact answers wait until it is", metadata: metadata)
        case .live, .degraded: logger.info("\(place) is watched", metadata: metadata)
        }
    }

    /// Logs a notice of the watcher.
    func note(_ notice: WatchNotice) {
        func log(
            _ level: Logger.Level, _ number: UInt32, _ kind: String?, _ text: (ContainerRecord) -> String,
            _ metadata: Logger.Metadata = [:]
        ) {
            guard let record = containers.numbered(number) else { return }
            var metadata = metadata
            metadata["container"] = "\(record.identifier)"
            _ = record.logged.noteLine()
            if let kind { metadata["message-id"] = "\(kind)" }
            logger.log(level: level, "\(text(record))", metadata: metadata)
        }
        func absolute(_ path: [UInt8], in record: ContainerRecord) -> String {
            let relative = String(decoding: path, as: UTF8.self)
            return relative.isEmpty ? record.configuration.path : record.configuration.path + "/" + relative
        }
        func count(_ number: Int, _ one: String, _ many: String? = nil) -> String { Plural.count(number, one, many) }
        switch notice {
        case .crawled(let number, let directories):
            log(.info, number, "container-live") {
                "container '\($0.identifier)' was read: \(count($0.index.count, "item")) in "
                    + count(directories, "directory", "directories")
                    + (state($0).isExact ? "; it is live: every change is seen as it happens" : "")
            }
        case .containerGone(let number, let error):
            log(.warning, number, "container-unavailable") {
                "container '\($0.identifier)' is unavailable: \($0.configuration.path): \(state($0).reason ?? "\(error)"); its items have left all results and return when it is available again"
            }
        case .containerFound(let number, let isKnown, let obstacle):
            // At the start this is the line that tells how the container begins.
            let isBack = containers.numbered(number)?.logged.hasBegun == true
            log(.info, number, "container-available") {
                "container '\($0.identifier)' at \($0.configuration.path) is \(isBack ? "available and is " : "")being "
                    + "\(isKnown ? "compared with the file system" : "read")\(obstacle.map { ", because \($0)" } ?? ""); "
                    + "exact answers wait until it is"
            }
        case .containerMarked: break
        case .containerGoesOn(let number, let directories, let unread):
            log(.info, number, "container-live") {
                "container '\($0.identifier)' at \($0.configuration.path) continues from the previous process: "
                    + "\(count(directories, "directory is", "directories are")) still watched, "
                    + (unread == 0 ? "and none has to be read" : "and \(unread) with all below them are being read")
            }
        case .watchesChecked(let missing, let count):
            guard missing > 0 else { return }
            logger.warning(
                "\(missing) of \(count) directories had no watch any more; they are being read, and live queries receive the differences",
                metadata: ["message-id": "watches-missing"])
        case .unreadable(let number, let path, let error):
            guard let record = containers.numbered(number) else { return }
            guard let isLast = record.logged.noteUnreadable() else { return }
            let again = isWatching ? "; gatherd tries again when its mode changes" : ""
            let last =
                isLast
                ? "; further ones are counted and not logged ('gather doctor' counts them)" : ""
            let place = absolute(path, in: record)
            log(
                .warning, number, "unreadable-directory",
                { _ in "the directory \(place) cannot be read: \(error); its contents are in no answer\(again)\(last)"
                },
                ["path": "\(place)"])
        case .overflow:
            logger.warning(
                "the kernel's event queue overflowed; all containers are being compared with the file system, and live queries receive the differences; if this happens often, raise fs.inotify.max_queued_events",
                metadata: ["message-id": "overflow"])
        case .compared(let number, let counts):
            log(.info, number, nil) {
                "container '\($0.identifier)' was compared with the file system: "
                    + (counts == ComparisonCounts()
                        ? "nothing differs"
                        : "\(counts.added) added, \(counts.changed) changed, \(counts.removed) removed, and live queries received them")
            }
        case .watchLimit(let number, let path, let reason):
            log(
                .error, number, "watch-limit-reached",
                {
                    "container '\($0.identifier)' lacks inotify watches: \(reason); \(absolute(path, in: $0)) and other directories are polled, which finds changes later; 'gather doctor' names the limit and the command"
                })
        case .polledFileSystem(let number, let name):
            log(.warning, number, "polled-file-system") {
                "container '\($0.identifier)' at \($0.configuration.path) is polled: its file system \(name) does not report changes made by other machines, so they are found later"
            }
        case .watchLimitOver(let number):
            log(.notice, number, "container-live") {
                "container '\($0.identifier)' is watched completely again; no directory is polled any more"
            }
        case .audited(let number, let directories, let counts):
            let isRight = counts == ComparisonCounts()
            log(isRight ? .info : .notice, number, "self-audit") {
                "the self-audit has compared the \(count(directories, "directory", "directories")) of container '\($0.identifier)': "
                    + (isRight
                        ? "nothing differs"
                        : "it repaired changes without an event, \(counts.added) added, \(counts.changed) changed, "
                            + "\(counts.removed) removed; live queries received them")
            }
        case .unreachableMount(let number, let mount):
            let path = mount.mount.text
            log(
                .warning, number, nil,
                {
                    "\(mount); container '\($0.identifier)' goes on without it, and asks again from time to time (mend its server, or: umount -l \(path))"
                }, ["path": "\(path)", "error": "\(mount.error)"])
        case .reachableMount(let number, let mount):
            let path = mount.text
            log(
                .notice, number, nil,
                {
                    "the file system at \(path) answers again or is unmounted; container '\($0.identifier)' reads it anew"
                }, ["path": "\(path)"])
        case .readFailed(let error):
            logger.critical(
                "the inotify descriptor cannot be read: \(error); changes may be missed until the next event, when gatherd tries again; if this goes on, restart gatherd"
            )
        }
    }

    /// Logs that items of a container lack access control lists, or that none does any more.
    func noteAccessLists(of record: ContainerRecord) {
        let metadata: Logger.Metadata = [
            "container": "\(record.identifier)", "message-id": "access-lists-missing",
        ]
        guard record.accessLists.areMissing else {
            return logger.notice(
                "every item of container '\(record.identifier)' has its access control list again", metadata: metadata)
        }
        let owners = record.index.ownersLackingAccessLists.union(record.accessLists.ownersAbove).sorted()
        let named = owners.prefix(ContainerLog.ownersNamed).map(String.init).joined(separator: ", ")
        let whose =
            owners.isEmpty
            ? ""
            : ": \(owners.count == 1 ? "user" : "users") \(named)\(owners.count > ContainerLog.ownersNamed ? " and others" : "") "
                + "may own more different lists than gatherd keeps for one owner (\(AccessLists.countOfOwner), "
                + "or \(AccessLists.bytesOfOwner >> 20) MiB)"
        logger.warning(
            "access control lists of container '\(record.identifier)' could not be read or kept\(whose); users who need them do not find these items; let files share lists or remove them (setfacl -b)",
            metadata: metadata)
    }

    /// How many owners are named in the log.
    private static let ownersNamed = 5
}
