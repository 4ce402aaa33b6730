// The marks of containers, kept in the state directory.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Logging
import Metadata
import NIOCore
import SaveFiles
import SystemPackage

/// Reads and writes `marks.toml` in the state directory: the mark of each container that has one, with its path.
///
/// They are not in the saved indexes, since an index is read anew when the settings of its container change or its file is damaged, and
/// the mark counts then, too. Event loop only.
final class ContainerMarks {
    private struct Place: Equatable {
        let path: String
        let mark: ContainerMark
    }

    /// The shortest time from one save to the next. Each takes two fsyncs, and a user of a container could change its mark all the time.
    private static let pause = TimeAmount.seconds(1)
    /// The time after which a save that failed is tried again.
    private static let retryPause = TimeAmount.seconds(10)

    /// The file; nil if no state is kept.
    private let path: String?
    private let logger: Logger
    private let loop: any EventLoop
    private var entries: [String: Place] = [:]

    private var isUnsaved = false
    /// Whether the log says that they cannot be saved.
    private var hasFailed = false
    private var notBefore = NIODeadline.uptimeNanoseconds(0)
    private var timer: Scheduled<Void>?

    /// Reads the marks. If the file is damaged, it is set aside, and no container has a mark until its directory is looked at.
    init(in stateDirectory: String?, loop: any EventLoop, logger: Logger) {
        path = stateDirectory.map { $0 + "/marks.toml" }
        self.loop = loop
        self.logger = logger
        guard let path else { return }
        do { entries = try ContainerMarks.read(path) } catch {
            try? Entry.rename(path, to: path + PersistentFiles.damaged)
            logger.warning(
                "the marks of containers cannot be read: \(error); the file was set aside as *.damaged, and whatever is at the paths of containers is taken for them once",
                metadata: ["message-id": "state-set-aside"])
        }
    }

    /// Returns the mark that a container had at this path; nil for none.
    func mark(of container: ContainerConfiguration) -> ContainerMark? {
        entries[container.identifier].flatMap { $0.path == container.path ? $0.mark : nil }
    }

    /// Notes the mark of a container, nil for none. If it cannot be saved, the log says so, and it is tried again.
    func set(_ mark: ContainerMark?, of container: ContainerConfiguration) {
        let entry = mark.map { Place(path: container.path, mark: $0) }
        let former = entries[container.identifier]
        guard former != entry else { return }
        entries[container.identifier] = entry
        save()
        guard let mark, mark.token != former?.mark.token else { return }
        logger.info(
            "container '\(container.identifier)' has a mark: another directory at \(container.path) is not taken for it",
            metadata: ["container": "\(container.identifier)"])
    }

    /// Forgets the mark of a container that was removed.
    func forget(_ identifier: String) {
        if entries.removeValue(forKey: identifier) != nil { save() }
    }

    /// Saves them again, since the state directory was made anew.
    func directoryWasMade() { if !entries.isEmpty { save() } }

    /// Saves what is not saved yet, as the last call.
    func close() {
        timer?.cancel()
        if isUnsaved { write() }
    }

    /// Saves them at once, or a pause after the last save.
    private func save() {
        isUnsaved = path != nil
        guard isUnsaved, timer == nil else { return }
        if NIODeadline.now() >= notBefore { return write() }
        let marks = NIOLoopBound(self, eventLoop: loop)
        timer = loop.scheduleTask(deadline: notBefore) {
            marks.value.timer = nil
            marks.value.write()
        }
    }

    private static func read(_ path: String) throws(ConfigurationError) -> [String: Place] {
        let text = try ConfigurationLoader.read(path, required: false) ?? ""
        var found: [String: Place] = [:]
        for (identifier, table) in try TOMLFile.parse(path: path, text: text).tables {
            var file = TOMLFile(path: path, table: table)
            guard let place = try file.string("path"), let token = try file.string("token"),
                let mark = ContainerToken(contents: token.utf8)
            else {
                throw ConfigurationError(
                    file: path, line: table.line, message: "container '\(identifier)' has no path and token")
            }
            let directory = try file.string("directory").map { text throws(ConfigurationError) in
                guard let identity = ContainerMark.directory(text) else {
                    throw ConfigurationError(
                        file: path, line: table.line, message: "container '\(identifier)' has no directory")
                }
                return identity
            }
            try file.finish()
            found[identifier] = Place(path: place, mark: ContainerMark(mark, in: directory))
        }
        return found
    }

    private func write() {
        guard let path else { return }
        var text = "# Written by gatherd: the marks of containers (gatherd(8)).\n"
        for (identifier, entry) in entries.sorted(by: { $0.key < $1.key }) {
            text += """

                [\(TOMLDocument.quoted(identifier))]
                path = \(TOMLDocument.quoted(entry.path))
                token = "\(entry.mark.token)"

                """
            if let directory = entry.mark.directoryText { text += "directory = \"\(directory)\"\n" }
        }
        do {
            let name = FilePath(path).lastComponent?.string ?? ""
            try FileReplacement.replace(path, through: .named(name + ".new"), with: Array(text.utf8))
            notBefore = .now() + ContainerMarks.pause
            (isUnsaved, hasFailed) = (false, false)
        } catch {
            notBefore = .now() + ContainerMarks.retryPause
            if !hasFailed {
                logger.error(
                    "the marks of containers cannot be saved: \(error); after a restart another directory at the path of one may be taken for it",
                    metadata: ["message-id": "state-unsaved", "error": "\(error)"])
            }
            hasFailed = true
            save()
        }
    }
}
