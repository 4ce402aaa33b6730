// The containers that were added over the socket, kept in the state directory across restarts.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TOMLKit

/// Reads and writes `containers.toml` in the state directory. The file is written beside and renamed, so that a full
/// disk or a power cut leaves the old one.
struct RuntimeContainers {
    let path: String

    init(stateDirectory: String) { path = stateDirectory + "/containers.toml" }

    /// What was added before; nothing where there is no file.
    func load() throws(ConfigurationError) -> [ContainerConfiguration] {
        guard let text = try ConfigurationLoader.read(path, required: false) else { return [] }
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw ConfigurationError(file: path, line: error.source.begin.line, message: error.description)
        } catch {
            throw ConfigurationError(file: path, message: "cannot be read as TOML: \(error)")
        }
        var containers: [ContainerConfiguration] = []
        for identifier in table.keys.sorted() {
            guard let entry = table[identifier]?.tomlValue.table, let directory = entry["path"]?.tomlValue.string else {
                throw ConfigurationError(file: path, message: "container '\(identifier)' has no path")
            }
            func strings(_ key: String) -> [String] {
                entry[key]?.tomlValue.array?.compactMap { $0.tomlValue.string } ?? []
            }
            do {
                containers.append(
                    try ContainerConfiguration(
                        identifier: identifier, path: directory, packages: strings("packages"),
                        ignore: strings("ignore"), origin: .runtime))
            } catch {
                throw ConfigurationError(file: path, message: "container '\(error.identifier)': \(error.message)")
            }
        }
        return containers
    }

    /// Replaces the file's contents, durably.
    func save(_ containers: [ContainerConfiguration]) throws(ConfigurationError) {
        let table = TOMLTable()
        for container in containers {
            let entry = TOMLTable()
            entry["path"] = container.path
            entry["packages"] = TOMLArray(container.packages)
            entry["ignore"] = TOMLArray(container.ignore)
            table[container.identifier] = entry
        }
        let text = "# Written by gatherd: containers added at run time (gather container add).\n" + table.convert(to: .toml) + "\n"
        let aside = path + ".new"
        do {
            let file = try Entry.openForWriting(aside, mode: 0o600, truncate: true)
            try file.writeAll(Array(text.utf8))
            try file.synchronize()
            try Entry.rename(aside, to: path)
        } catch {
            throw ConfigurationError(file: path, message: "cannot be written: \(error)")
        }
    }
}
