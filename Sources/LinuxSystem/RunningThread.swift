// A thread that was started.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread that ``Threads/start(_:)`` started. Its owner joins or detaches it once.
///
/// The C type of the handle is not part of the interface. Both Glibc and CLinux declare it, and the order in which files are
/// compiled decides which of the two Swift takes it from.
package struct RunningThread: Sendable {
    private let handle: pthread_t

    init(_ handle: pthread_t) { self.handle = handle }

    /// Waits for the end of the thread (pthread_join(3)).
    package func join() { pthread_join(handle, nil) }

    /// Lets the thread end by itself (pthread_detach(3)).
    package func detach() { pthread_detach(handle) }
}
