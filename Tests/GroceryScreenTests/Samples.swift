// Items and models for the tests of the full-screen view.
// SPDX-License-Identifier: Apache-2.0

import CNcurses
import GatherDocuments
import Glibc
import TestSupport

@testable import GroceryModel
@testable import GroceryScreen

enum Samples {
    /// The widths of characters depend on the locale of the process.
    static let hasUnicode: Bool = {
        setenv("LC_ALL", "C.UTF-8", 1)
        return cncurses_use_locale() != 0
    }()

    static func identifier(_ number: Int) -> ItemIdentifier {
        let digits = String(number, radix: 16, uppercase: true)
        let tail = String(repeating: "0", count: 12 - digits.count) + digits
        guard let id = ItemIdentifier(text: "00000000-0000-4000-8000-\(tail)") else {
            preconditionFailure("\(number) makes no identifier")
        }
        return id
    }

    static func item(
        _ number: Int, _ name: String, quantity: String = "", isBought: Bool = false, tags: [String] = [],
        time: Int64 = 0, conflictVersions: Int = 0
    ) -> GroceryItem {
        let contents = contents(name) {
            $0.quantity = quantity
            $0.isBought = isBought
            $0.tags = tags
        }
        return GroceryItem(
            id: identifier(number), path: "/box/Documents/Item_\(number)", summary: ItemSummary(contents),
            modified: Timestamp(seconds: 1_795_000_000 + time, nanoseconds: 0), owner: "ada",
            conflictVersions: conflictVersions)
    }

    /// A file and two versions in conflict with it, whose contents do not matter.
    private static let files: [FileVersion] = {
        var template = Array("/tmp/grocery-screen-XXXXXX".utf8CString)
        guard let directory = mkdtemp(&template).map({ String(cString: $0) }) else { preconditionFailure("mkdtemp") }
        let path = directory + "/Item"
        let names = ["", ".sync-conflict-20261125-100000-ABCDEFG", ".sync-conflict-20261125-110000-ABCDEFG"]
        // Versions with equal contents would count as one.
        for name in names {
            let file = open(path + name, O_WRONLY | O_CREAT, 0o600)
            _ = write(file, name, name.utf8.count)
            close(file)
        }
        defer {
            for name in names { unlink(path + name) }
            rmdir(directory)
        }
        let found =
            try? [FileVersion.current(of: FilePath(path))].compactMap { $0 } + FileVersion.conflicts(of: FilePath(path))
        guard let found, found.count == 3 else { preconditionFailure("no versions") }
        return found
    }()

    /// The version number 0 is the current one.
    static func version(_ number: Int, _ contents: ItemContents, device: String) -> ItemVersion {
        ItemVersion(contents: contents, device: device, file: files[number])
    }

    static func contents(_ name: String, _ change: (inout ItemContents) -> Void = { _ in }) -> ItemContents {
        var contents = ItemContents(name: name)
        change(&contents)
        return contents
    }

    /// A model with the items, in a size.
    static func model(_ items: [GroceryItem]?, width: Int = 80, height: Int = 24, isUnicode: Bool = true) -> ScreenModel
    {
        _ = hasUnicode
        var settings = ListSettings()
        settings.isGrouped = false
        var model = ScreenModel(listName: "home", settings: settings, isUnicode: isUnicode)
        model.resize(width: width, height: height)
        if let items { model.receive(.list(.items(items))) }
        return model
    }

    static let three = [item(1, "Apples"), item(2, "Bread", tags: ["baker"]), item(3, "Cheese", quantity: "200 g")]
}

extension ScreenModel {
    /// Presses a key for each character; a line end is Enter.
    mutating func type(_ text: String) {
        for scalar in text.unicodeScalars { press(scalar == "\n" ? .enter : .character(scalar)) }
    }

    /// The changes asked for since the last call.
    mutating func takeWork() -> [(Int, ScreenWork)] {
        takeRequests().compactMap { if case .work(let number, let work) = $0 { (number, work) } else { nil } }
    }

    var lines: [String] {
        let grid = draw()
        return (0..<grid.height).map(grid.text)
    }

    var prompt: Prompt? { if case .prompt(let prompt) = mode { prompt } else { nil } }
    var isInList: Bool { if case .list = mode { true } else { false } }
}
