// The settings of a user for the lists of a container.
// SPDX-License-Identifier: Apache-2.0

package import GatherDocuments
internal import Glibc

/// The settings of a user for the lists of a container. They are in the container's key-value store, so that they follow their
/// user to other machines.
package struct ListSettings: Sendable, Hashable {
    /// The order of items in a group.
    package enum Sorting: String, Sendable, Hashable, CaseIterable {
        case name, modified
    }

    package var sorting = Sorting.name
    /// Whether items are grouped by tag.
    package var isGrouped = true
    /// The list that was used last; nil for the container's first list.
    package var list: String?

    package init() {}

    private static let prefix = "grocery"

    /// The user's name is a part of each key, since the users of a container share its store. It comes from the environment, since
    /// a number would be another on other machines, and a program that is linked as a whole cannot ask for it everywhere.
    private static func key(_ name: String) -> String {
        let variables: [String] = ["LOGNAME", "USER"]
        let names = variables.compactMap { name in getenv(name).map { String(cString: $0) } }
        let user = names.first { !$0.isEmpty } ?? "\(geteuid())"
        // A key has 64 bytes at most.
        return "\(prefix).\(String(decoding: Array(user.utf8.prefix(32)), as: UTF8.self)).\(name)"
    }

    /// Reads the settings. Without a store these are the defaults.
    package static func read(_ container: Container) async throws(DocumentError) -> ListSettings {
        var settings = ListSettings()
        guard KeyValueStore.isReadable(in: container) else { return settings }
        let store = try await KeyValueStore(
            directory: container.data.appending(KeyValueStore.nameInContainer), followingThrough: nil)
        if let text = store.string(forKey: key("sorting")), let sorting = Sorting(rawValue: text) {
            settings.sorting = sorting
        }
        if let isGrouped = store.boolean(forKey: key("grouped")) { settings.isGrouped = isGrouped }
        settings.list = store.string(forKey: key("list"))
        try await store.close()
        return settings
    }

    /// Writes the settings that differ from the stored ones.
    package func write(_ container: Container) async throws {
        // The folders are for all users of the container, as the trash beside the store is.
        try await FileSystem.run { () throws(DocumentError) in
            _ = try container.folder(KeyValueStore.nameInContainer.split(separator: "/").map(String.init))
        }
        let store = try await KeyValueStore(
            directory: container.data.appending(KeyValueStore.nameInContainer), followingThrough: nil)
        func set(_ value: KeyValue?, _ name: String) throws(DocumentError) {
            let key = ListSettings.key(name)
            guard store.value(forKey: key) != value else { return }
            if let value { try store.set(value, forKey: key) } else { try store.removeValue(forKey: key) }
        }
        try set(.string(sorting.rawValue), "sorting")
        try set(.boolean(isGrouped), "grouped")
        try set(list.map { .string($0) }, "list")
        try await store.close()
    }
}
