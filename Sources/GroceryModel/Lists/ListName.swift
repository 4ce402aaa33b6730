// Names of new lists that every device can hold.
// SPDX-License-Identifier: Apache-2.0

internal import GatherDocuments
internal import LinuxSystem

/// The rule for the name of a new list. A list is a folder, and Syncthing carries it to devices whose file systems hold fewer names
/// than those of Linux. A list that is there keeps its name.
enum ListName {
    /// Characters that names on FAT, and so on the cards and the shared storage of phones, do not have. No name on Linux has a
    /// slash.
    private static let forbidden: [Character] = ["\"", "*", ":", "<", ">", "?", "\\", "|"]
    /// Names of devices under Windows, with any ending.
    private static let devices = Set(
        ["con", "prn", "aux", "nul"] + (1...9).flatMap { ["com\($0)", "lpt\($0)"] })

    /// Returns why a list cannot be made, as the end of a sentence; nil if it can.
    ///
    /// - Parameters:
    ///   - name: The name of the new list, without an ending.
    ///   - others: The names of folders beside it.
    static func obstacle(to name: String, beside others: [String]) -> String? {
        let found = forbidden.filter { name.contains($0) }.map { "'\($0)'" }
        if !found.isEmpty {
            return "a phone cannot hold a folder with \(found.joined(separator: " or ")) in its name"
        }
        if let last = name.last, last == "." || last.isWhitespace {
            return "a phone cannot hold a folder whose name ends with a dot or a blank"
        }
        if devices.contains(name.prefix { $0 != "." }.lowercased()) {
            return "the name is that of a device under Windows"
        }
        let folded = fold(name)
        guard let other = others.first(where: { fold($0) == folded }) else { return nil }
        return "'\(DisplayText.escaped(other))' is there, and a phone takes both for one folder"
    }

    /// Returns a name as file systems compare it that do not tell upper from lower case. Strings are equal whichever way their
    /// accents are composed.
    private static func fold(_ name: String) -> String { name.lowercased() }

    /// Returns the names of the folders in a directory, those of packages without their ending; none if it cannot be read.
    static func folders(in directory: String) -> [String] {
        let names = ((try? Directory.names(in: directory)) ?? []).filter {
            !$0.hasPrefix(".") && FileSystem.isFolder(directory + "/" + $0)
        }
        let ending = GroceryList.packageEnding
        return names.map { $0.hasSuffix(ending) ? String($0.dropLast(ending.count)) : $0 }.sorted()
    }
}
