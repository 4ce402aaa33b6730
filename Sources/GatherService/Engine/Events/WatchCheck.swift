// Continuing with the watches of the daemon before this one.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Logging
import NIOCore

/// Continues with the watches of the daemon before this one, and compares them with those that the kernel has. Event loop only.
struct WatchCheck: Sendable {
    /// Has the kernel tell its watches, from any thread; nil where it does not.
    typealias WatchesOfKernel = @Sendable (LinuxKernel) -> [Int32: UInt64]?

    private let engine: NIOLoopBound<Engine>
    private let ask: WatchesOfKernel

    init(_ engine: Engine, ask: @escaping WatchesOfKernel) {
        self.engine = NIOLoopBound(engine, eventLoop: engine.loop)
        self.ask = ask
    }

    /// To be called when all containers of the start were added: takes the events that were queued before. The watches are compared
    /// soon.
    func begin() {
        let engine = engine.value
        let wasAdopted = engine.watcher.hear()
        engine.turn()
        // Where no container goes on, the watches that were left belong to nobody, and end.
        if wasAdopted { askForWatches(Limits.watchChecks, in: engine.limits.watchesCheckedAfter) }
    }

    /// Has the kernel tell its watches, off the loop, after a time; where it does not, so many times in all.
    private func askForWatches(_ times: Int, in time: TimeAmount) {
        engine.value.loop.scheduleTask(in: time) {
            let here = engine.value
            guard !here.turns.isClosed else { return }
            let watches = here.watcher.watchesThatGoOn
            here.scans.inTurn(.shared, { [kernel = here.watcher.kernel, ask] in ask(kernel) }) { result in
                guard !here.turns.isClosed, case .success(let found) = result else { return }
                if let found {
                    here.watcher.check(watches: found, of: watches)
                    here.turn()
                } else if times > 1 {
                    askForWatches(times - 1, in: time * 2)
                } else {
                    here.logger.warning(
                        "the kept watches were not checked: /proc/self/fdinfo cannot be read; the self-audit finds changes that a missing watch hides"
                    )
                }
            }
        }
    }
}
