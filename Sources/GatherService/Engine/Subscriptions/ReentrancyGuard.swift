// Work that may call itself: another pass follows instead.
// SPDX-License-Identifier: Apache-2.0

/// Keeps work from being begun within itself: a reply may make the socket writable, or short work may be done, before the call returns.
/// Such a call is made good by another pass.
struct ReentrancyGuard {
    private var isAtWork = false
    private var isAskedAgain = false

    /// Begins a pass. Returns false if one is under way, or the work is suspended; another pass follows then.
    mutating func begin() -> Bool {
        isAskedAgain = isAtWork
        guard !isAtWork else { return false }
        isAtWork = true
        return true
    }

    /// Ends a pass. Returns whether another one begins, since it was asked for meanwhile.
    mutating func goesOn() -> Bool {
        (isAtWork, isAskedAgain) = (isAskedAgain, false)
        return isAtWork
    }

    /// Suspends the work. Returns whether it is under way, for ``resume(_:)``.
    mutating func suspend() -> Bool {
        defer { isAtWork = true }
        return isAtWork
    }

    /// Goes on after ``suspend()``. Returns whether the caller is to begin the work: it was asked for, and no pass is under way that
    /// another will follow.
    mutating func resume(_ wasAtWork: Bool) -> Bool {
        isAtWork = wasAtWork
        return !wasAtWork && isAskedAgain
    }
}
