// The keys, as the bottom line and the help name them.
// SPDX-License-Identifier: Apache-2.0

/// A key and its work. The bottom line has the short words, in this order, as far as there is room.
struct KeyHelp: Sendable {
    let key: String
    let short: String
    let long: String

    init(_ key: String, _ short: String, _ long: String = "") {
        self.key = key
        self.short = short
        self.long = long
    }

    static let undo = "Undo"
    /// The longest name of a change on the bottom line, in characters.
    static let longestAction = 24

    /// The last two are on the bottom line whatever its width.
    static let list = [
        KeyHelp("a", "Add", "Add items, such as: 2 kg flour #market"),
        KeyHelp("Space", "Buy", "Mark the item as bought, or as not bought"),
        KeyHelp("/", "Find", "Show items with some words only, or that match a predicate; Esc shows all again"),
        KeyHelp("e", "Edit", "Edit the item's file in $EDITOR"),
        KeyHelp("d", "Remove", "Move the item to the trash"),
        KeyHelp("u", undo, "Undo the last change, which the bottom line names"),
        KeyHelp("r", "Rename", "Change the name"),
        KeyHelp("n", "Amount", "Change the quantity"),
        KeyHelp("t", "Tag", "Add tags"),
        KeyHelp("T", "Untag", "Remove the tags that are typed; Enter alone removes all"),
        KeyHelp("c", "Conflict", "Choose between the versions of an item in conflict"),
        KeyHelp("s", "Sort", "Sort by name or time"),
        KeyHelp("g", "Group", "Group by tag, or not"),
        KeyHelp("R", "Reload", "Read the list again, and draw the screen again"),
        KeyHelp(":", "Command", "Run another command of grocery, such as: image Milk photo.jpg"),
        KeyHelp("Enter", "Details", "Scroll the details; Esc returns to the list"),
        KeyHelp("?", "Help", "Show this help"),
        KeyHelp("q", "Quit", "Leave the list"),
    ]

    static let moving = [
        KeyHelp("Up, Down, k, j", "", "Select the item above or below"),
        KeyHelp("PageUp, PageDown", "", "Select an item a page away"),
        KeyHelp("Home, End", "", "Select the first or the last item"),
        KeyHelp("Mouse", "", "A click selects an item, and the wheel scrolls"),
    ]

    static let add = [
        KeyHelp("Esc", "End"), KeyHelp("Enter", "Add, and go on"), KeyHelp("Up", "Earlier text"),
    ]
    static let join = [KeyHelp("Esc", "Not so"), KeyHelp("Enter", "Save"), KeyHelp("Up", "Earlier text")]
    static let command = [KeyHelp("Esc", "Cancel"), KeyHelp("Enter", "Run"), KeyHelp("Up", "Earlier text")]
    static let prompt = [KeyHelp("Esc", "Cancel"), KeyHelp("Enter", "Save"), KeyHelp("Up", "Earlier text")]
    static let filter = [KeyHelp("Esc", "Show all"), KeyHelp("Enter", "Keep the filter")]
    static let details = [KeyHelp("Esc", "List"), KeyHelp("Up, Down", "Scroll"), KeyHelp("q", "Quit")]
    static let help = [KeyHelp("Esc", "List"), KeyHelp("Up, Down", "Scroll"), KeyHelp("q", "Quit")]
    static let conflict = [
        KeyHelp("Enter", "Save the choices"), KeyHelp("Space", "Choose"), KeyHelp("A, B", "Keep one"),
        KeyHelp("+", "Keep all"), KeyHelp("Esc", "List"),
    ]
}
