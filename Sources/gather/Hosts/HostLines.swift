// Items of several machines as lines.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit

/// Items of several machines as lines, each with the name of its machine.
struct HostLines: Sendable {
    enum Form: Sendable, Hashable {
        /// `HOST:PATH`
        case paths
        /// An object with the field `host`.
        case json
        /// The host and the values with tabs between.
        case tabs
    }

    let form: Form
    let attributes: [Attribute]

    func line(_ item: MetadataItem, _ host: String) -> [UInt8] {
        switch form {
        case .paths: HostLines.path(item.pathBytes ?? [], of: host)
        case .json: HostLines.named(host, item.json(attributes))
        case .tabs: Array("\(host)\t".utf8) + ItemColumns.tabSeparated(attributes, of: item)
        }
    }

    /// Returns a path with the name of its machine in front, if there is one: `HOST:PATH`.
    static func path(_ path: [UInt8], of host: String?) -> [UInt8] {
        guard let host else { return path }
        return Array("\(host):".utf8) + path
    }

    /// Returns a JSON object with the field `host` in front, if there is a host. The object has another field.
    static func named(_ host: String?, _ object: [UInt8]) -> [UInt8] {
        guard let host else { return object }
        var line = JSONLine()
        line.add("host", host)
        var bytes = line.bytes()
        bytes[bytes.count - 1] = UInt8(ascii: ",")
        bytes += object.dropFirst()
        return bytes
    }
}
