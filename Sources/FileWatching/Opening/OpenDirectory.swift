// An open directory shared by the loop and the crawling threads.
// SPDX-License-Identifier: Apache-2.0

/// An open directory that is closed when the last of its holders lets go of it.
final class OpenDirectory: Sendable {
    let number: CInt
    private let close: @Sendable (CInt) -> Void

    init(owning number: CInt, close: @escaping @Sendable (CInt) -> Void) {
        self.number = number
        self.close = close
    }

    deinit { close(number) }
}
