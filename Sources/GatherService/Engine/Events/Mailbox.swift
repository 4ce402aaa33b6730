// How other threads wake the engine.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Carries wake-ups from other threads to the engine. Several that come before the loop gets to them are one.
final class Mailbox: Sendable {
    enum Reason: Sendable {
        /// The engine is there.
        case opened
        /// A crawling thread has handed something over.
        case crawled
        /// Something was mounted or unmounted.
        case mountsChanged
        /// The time of day was set.
        case clockSet
        /// An entry came, went or was written beside a file of accounts or of a time zone.
        case systemFilesChanged
    }

    private struct State {
        var engine: NIOLoopBound<EngineReference>?
        var crawledPosted = false
        /// The reasons that came before there was an engine. The threads that posted them wait to be armed again.
        var early: Set<Reason> = []
    }

    private let loop: any EventLoop
    private let state = Mutex(State())

    init(loop: any EventLoop) { self.loop = loop }

    /// Begins to deliver, on the loop, also the messages posted before.
    func open(_ engine: EngineReference) {
        let bound = NIOLoopBound(engine, eventLoop: loop)
        let early = state.withLock { state in
            state.engine = bound
            defer { state.early = [] }
            return state.early
        }
        for reason in early { post(reason) }
        post(.opened)
    }

    func post(_ reason: Reason) {
        let engine: NIOLoopBound<EngineReference>? = state.withLock { state in
            guard let engine = state.engine else {
                state.early.insert(reason)
                return nil
            }
            if case .crawled = reason {
                guard !state.crawledPosted else { return nil }
                state.crawledPosted = true
            }
            return engine
        }
        guard let engine else { return }
        loop.execute { [self] in
            if case .crawled = reason { state.withLock { $0.crawledPosted = false } }
            engine.value.engine?.woken(reason)
        }
    }
}
