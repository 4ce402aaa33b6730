// The containers that were added over the socket, kept in the state directory across restarts.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import SystemPackage

/// Reads and writes `containers.toml` in the state directory. The file is written beside and renamed, so that a full
/// disk or a power cut leaves the old one.
struct RuntimeContainers {
    /// Nil where nothing is kept.
    let path: String?

    init(stateDirectory: String?) { path = stateDirectory.map { $0 + "/containers.toml" } }

    /// What was added before; nothing where there is no file.
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
            try file.finish()
            do {
                containers.append(
                    try ContainerConfiguration(
                        identifier: identifier, path: directory, packages: packages, ignore: ignore, origin: .runtime))
            } catch {
                throw ConfigurationError(
                    file: path, line: table.line, message: "container '\(error.identifier)': \(error.message)")
            }
        }
        return containers
    }

    /// Replaces the file's contents, durably. What could not be read again is not written.
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
        }
        guard text.utf8.count <= Limits.configurationBytes else {
            throw ConfigurationError(
                file: path,
                message:
                    "would be larger than \(Limits.configurationBytes) bytes: remove some, or write files for them")
        }
        let aside = path + ".new"
        do {
            let file = try Entry.openForWriting(aside, mode: 0o600, truncate: true)
            try file.writeAll(Array(text.utf8))
            try file.synchronize()
            try Entry.rename(aside, to: path)
            // The rename itself is on the disk only with its directory.
            try Directory.open(FilePath(path).removingLastComponent().string, access: .reading).synchronize()
        } catch {
            throw ConfigurationError(file: path, message: "cannot be written: \(error)")
        }
    }
}
