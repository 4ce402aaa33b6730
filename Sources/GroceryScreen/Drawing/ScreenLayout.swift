// Where things are on the screen.
// SPDX-License-Identifier: Apache-2.0

/// The lines and columns of the parts: a title, the body, the message line and the line of keys. In a low screen the parts go
/// one by one; the body stays.
struct ScreenLayout: Sendable, Hashable {
    /// From this width on, the details are beside the list.
    static let narrowestPair = 60
    static let narrowestList = 30

    let width: Int
    let height: Int

    var hasTitle: Bool { height >= 4 }
    var hasMessage: Bool { height >= 2 }
    var hasKeys: Bool { height >= 3 }

    var body: Range<Int> {
        let first = hasTitle ? 1 : 0
        return first..<max(first, height - (hasMessage ? 1 : 0) - (hasKeys ? 1 : 0))
    }
    var bodyHeight: Int { body.count }
    var messageLine: Int { hasMessage ? height - (hasKeys ? 2 : 1) : height - 1 }
    var keyLine: Int? { hasKeys ? height - 1 : nil }

    var isPair: Bool { width >= ScreenLayout.narrowestPair }
    var list: Range<Int> { 0..<(isPair ? max(ScreenLayout.narrowestList, width * 9 / 20) : width) }
    /// The columns of the details: beside the list, or in place of it.
    var details: Range<Int> { isPair ? min(list.upperBound + 2, width)..<width : 0..<width }
}
