// How a cell of the screen looks.
// SPDX-License-Identifier: Apache-2.0

struct CellStyle: Sendable, Hashable {
    enum Colour: UInt32, Sendable { case plain, green, yellow, red, cyan }

    var isBold = false
    var isDim = false
    var isReversed = false
    var isUnderlined = false
    var colour = Colour.plain

    static let plain = CellStyle()
    static let bold = CellStyle(isBold: true)
    static let dim = CellStyle(isDim: true)
    static let reversed = CellStyle(isReversed: true)
    static let heading = CellStyle(isUnderlined: true)
    static let error = CellStyle(isBold: true, colour: .red)
    static let notice = CellStyle(colour: .yellow)

    func reversed(_ isReversed: Bool) -> CellStyle {
        var style = self
        style.isReversed = isReversed
        return style
    }
}
