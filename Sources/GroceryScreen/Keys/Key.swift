// A key, as the view understands it.
// SPDX-License-Identifier: Apache-2.0

enum Key: Hashable, Sendable {
    case character(Unicode.Scalar)
    /// A letter with the Ctrl key, in lower case.
    case control(Unicode.Scalar)
    case enter
    case escape
    case backspace
    case delete
    case tab
    case up
    case down
    case left
    case right
    case pageUp
    case pageDown
    case home
    case end
    case help
    case wheelUp
    case wheelDown
    /// A press of the first button of the mouse, on a cell.
    case click(column: Int, line: Int)
    /// The terminal pastes text until the other key.
    case pasteBegin
    case pasteEnd
}
