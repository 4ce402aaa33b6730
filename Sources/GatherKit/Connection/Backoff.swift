// The pause before another attempt.
// SPDX-License-Identifier: Apache-2.0

/// Pauses between attempts to reach the daemon. The first is short, since a restart takes a moment. It doubles up to a
/// second, since a stopped daemon may stay away. Each attempt to reach another machine is a process and a login, so those
/// pauses are longer.
struct Backoff {
    private let first: Duration
    private let longest: Duration
    private var pause: Duration

    init(_ socket: DaemonSocket) { self.init(isNear: socket.host == nil) }

    init(isNear: Bool) {
        first = isNear ? .milliseconds(10) : .seconds(1)
        longest = isNear ? .seconds(1) : .seconds(30)
        pause = first
    }

    mutating func next() -> Duration {
        defer { pause = min(pause * 2, longest) }
        return pause
    }

    mutating func reset() { pause = first }
}
