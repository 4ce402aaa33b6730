// A disk that answers when a test lets it.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LinuxSystem

/// A disk that forces files to itself, except while it is held. Then each caller waits.
final class HeldDisk: Sendable {
    private let isFree = DispatchSemaphore(value: 1)

    func hold() { isFree.wait() }
    func release() { isFree.signal() }

    func force(_ file: borrowing Descriptor) throws(SystemError) {
        isFree.wait()
        defer { isFree.signal() }
        try file.synchronize()
    }
}
