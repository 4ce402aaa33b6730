// The containers that were added at run time, kept in the state directory.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import SaveFiles
import SystemPackage

/// Reads and writes `containers.toml` in the state directory. A new file is written beside the old one and renamed, so
/// that a full disk or a loss of power leaves the old one.
struct RuntimeContainers {
    /// The file; nil if no state is kept.
    let path: String?
    /// The directory with the saved indexes; nil if no state is kept.
    private let saved: String?

    init(stateDirectory: String?) {
        path = stateDirectory.map { $0 + "/containers.toml" }
        saved = stateDirectory.map { PersistentFiles(stateDirectory: $0).directory }
    }

    /// Returns why a container cannot be watched; nil if it can. A container in the directory of the saved indexes
    /// cannot: each save would be a change, and each change would cause another save.
    func obstacle(to container: ContainerConfiguration) -> String? {
        guard let saved else { return nil }
        let directory = ContainerConfiguration.resolved(saved)
        guard ContainerConfiguration.holds(directory, container.resolvedPath) else { return nil }
        return
            "\(container.path) lies in \(directory), where gatherd saves its own state, and each save would be a change "
            + "to save; watch another directory"
    }

    /// Whether the file does not exist, although state is kept.
    var isMissing: Bool { path.map { access($0, F_OK) != 0 } ?? false }

    /// Returns the containers that were added before; none if there is no file.
    func load() throws(ConfigurationError) -> [ContainerConfiguration] {
        guard let path, let text = try ConfigurationLoader.read(path, required: false) else { return [] }
        var containers: [ContainerConfiguration] = []
        for (identifier, table) in try TOMLFile.parse(path: path, text: text).tables.sorted(by: { $0.key < $1.key }) {
            var file = TOMLFile(path: path, table: table)
            guard let directory = try file.string("path") else {
                throw ConfigurationError(
                    file: path, line: table.line, message: "container '\(identifier)' has no path")
            }
            let packages = try file.strings("packages") ?? []
            let ignore = try file.strings("ignore") ?? []
            let sync = try file.string("sync")
            try file.finish()
            do {
                containers.append(
                    try ContainerConfiguration(
                        identifier: identifier, path: directory, packages: packages, ignore: ignore, sync: sync,
                        origin: .runtime))
            } catch {
                throw ConfigurationError(
                    file: path, line: table.line, message: "container '\(error.identifier)': \(error.message)")
            }
        }
        return containers
    }

    /// Replaces the contents of the file, durably. Throws for containers that could not be read back.
    func save(_ containers: [ContainerConfiguration]) throws(ConfigurationError) {
        guard let path else { return }
        var text = "# Written by gatherd: containers added at run time (gather container add).\n"
        for container in containers {
            func list(_ strings: [String]) -> String { strings.map(TOMLDocument.quoted).joined(separator: ", ") }
            text += """

                [\(TOMLDocument.quoted(container.identifier))]
                path = \(TOMLDocument.quoted(container.path))
                packages = [\(list(container.packages))]
                ignore = [\(list(container.ignore))]

                """
            if let sync = container.sync { text += "sync = \(TOMLDocument.quoted(sync.rawValue))\n" }
        }
        guard text.utf8.count <= Limits.configurationBytes else {
            throw ConfigurationError(
                file: path,
                message:
                    "the list would be larger than \(Limits.configurationBytes) bytes; remove containers, or define them in containers.d"
            )
        }
        do {
            let name = FilePath(path).lastComponent?.string ?? ""
            try FileReplacement.replace(path, through: .named(name + ".new"), with: Array(text.utf8))
        } catch {
            throw ConfigurationError(file: path, message: "cannot be written: \(error)")
        }
    }
}
