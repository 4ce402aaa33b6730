// The help of arguments that name items.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherDocuments
internal import GroceryModel
internal import LinuxSystem

/// Arguments that name items.
enum ItemArgument {
    private static let spellings =
        "a name, the beginning of one, or at least \(GroceryLimits.shortestBeginning) characters of an identifier's beginning."

    static let help = ArgumentHelp("The item: \(spellings)")
    static let severalHelp = ArgumentHelp("The items, each by \(spellings)")

    /// Returns the items that the arguments name, each once. All are found before the first is changed. If two items
    /// have one name, the one in the wanted state is meant.
    static func items(
        _ texts: [String], of list: GroceryList, isBought: Bool? = nil
    ) async throws -> [GroceryItem] {
        try requireUTF8()
        let items = try await list.items()
        var seen: Set<ItemIdentifier> = []
        return try texts.map { text throws(GroceryError) in try items.named(text, isBought: isBought) }.filter {
            seen.insert($0.id).inserted
        }
    }

    /// Refuses arguments that are not UTF-8. Swift would replace their bytes by U+FFFD, and the item would get another name
    /// than the user typed.
    static func requireUTF8() throws(Problem) {
        for (index, argument) in ProcessArguments.bytes.dropFirst().enumerated() {
            guard String(validating: argument, as: UTF8.self) != nil else {
                throw Problem("argument \(index + 1) is not UTF-8 text", status: 64)
            }
        }
    }
}

extension GroceryItem {
    /// The name as it is shown.
    var title: String { DisplayText.escaped(name) }
}
