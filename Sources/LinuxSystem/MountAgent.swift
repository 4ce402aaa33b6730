// A process that makes the system calls on one mount, so that nothing else waits where its server does not answer.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization

/// Makes system calls on one mount in a process of its own, with a time limit.
///
/// A call that waits for a FUSE or network server cannot always be killed, and a process with a thread in one cannot end
/// (`request_wait_answer` of FUSE). One call is made at a time. After a call that has not returned in time, every call fails
/// with ``SystemError/timedOut`` at once until that one returns. A patient thread waits longer. From any thread.
package final class MountAgent: Sendable {
    /// The result of a call that had not returned in time.
    package struct LateAnswer: Sendable {
        package var error: SystemError?
        /// The status that it asked for, and of which path.
        package var status: EntryStatus?
        package var path: [CChar]?
        /// Whether it is the result of opening something, or the status of an absolute path.
        package var isOfPath = false
        /// Nanoseconds from the call to this.
        package var duration: UInt64 = 0
    }

    private struct Unanswered {
        var number: UInt64
        var time: UInt64
        /// Whether it opens something.
        var isOpening: Bool
        /// The absolute path of which it asks for the status.
        var path: [CChar]?
    }

    private struct State {
        var number: UInt64 = 0
        /// The call that has not returned in time.
        var unanswered: Unanswered?
        /// The result of such a call, until it is taken.
        var lateAnswer: LateAnswer?
        /// When the last late answer came, and the pause after it.
        var lastLateAnswer: UInt64?
        var pause: Range<UInt64> = 0..<0
        /// When a patient thread began the call in progress.
        var patientSince: UInt64?
        var waiter: ReadinessThread?
        var isGone = false
    }

    /// Late answers that follow each other faster than `lateAnswersApart` cause a pause of at most `pauseLimit`, so that a slow
    /// server takes little of the time of impatient threads. In nanoseconds.
    private static let pauseLimit: UInt64 = 1_000_000_000
    private static let lateAnswersApart: UInt64 = 60_000_000_000

    /// How long the process may take to start. In nanoseconds.
    private static let startLimit: UInt64 = 5_000_000_000

    private let process: pid_t
    private let socket: Descriptor
    /// Nanoseconds that a call may take, and a call of a patient thread.
    private let limit: UInt64
    private let patience: UInt64
    private let answered: @Sendable () -> Void
    private let state = Mutex(State())
    /// Held during a call.
    private let turn = FairLock()
    /// Processes that were killed and had not ended yet.
    private static let ending = Mutex<[pid_t]>([])

    /// Starts the process. Watches are added to the inotify instance, where there is one. A call may take `limit` nanoseconds,
    /// and one of a patient thread at least `patience`. `answered` is called, from any thread, when a call has returned that
    /// was given up: ``takeLateAnswer()`` has its result.
    package init(
        inotify: CInt?, limit: UInt64, patience: UInt64 = 0, answered: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        MountAgent.ending.withLock { $0.removeAll { clinux_agent_end($0) != 0 } }
        var number: CInt = -1
        process = pid_t(try systemCall { clinux_agent_start(inotify ?? -1, &number) })
        socket = Descriptor(owning: number)
        self.limit = limit
        self.patience = max(limit, patience)
        self.answered = answered
        // This waits for a process of this program, and for no server.
        let none = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        guard receive(0, within: MountAgent.startLimit, into: none) != nil else { throw .timedOut }
    }

    deinit {
        state.withLock { $0.waiter }?.stop()
        if clinux_agent_end(process) == 0 { MountAgent.ending.withLock { $0.append(process) } }
    }

    /// Has the calling thread wait as long as the patience of each agent. For a thread that works for one mount only.
    package static func makeThreadPatient() { clinux_agent_make_patient() }

    /// Whether a call has not returned in time, and has not returned yet.
    package var isUnanswered: Bool { state.withLock { $0.unanswered != nil } }

    /// Whether the process has ended, or was told to.
    package var isGone: Bool { state.withLock { $0.isGone } }

    /// Ends the call in progress, and lets no more begin.
    package func interrupt() {
        state.withLock { $0.isGone = true }
        shutdown(socket.number, CInt(SHUT_RDWR))
    }

    /// Closes a descriptor of the agent's own. Does not wait.
    package func close(_ directory: CInt) {
        var request = clinux_agent_request()
        request.operation = UInt32(CLINUX_AGENT_CLOSE)
        request.directory = directory
        // If the socket is full, the descriptor stays open until the process ends.
        _ = clinux_agent_send(socket.number, &request, "", "")
    }

    // MARK: Waiting

    /// The result of a call that had not returned in time. Nil where there is none, or it has not returned yet.
    package func takeLateAnswer() -> LateAnswer? {
        let isBusy = state.withLock { $0.patientSince != nil }
        if isUnanswered, turn.begin(limit: isBusy ? 0 : limit) {
            defer { turn.end() }
            receiveLateAnswer(within: 0)
        }
        return state.withLock { state in
            defer { state.lateAnswer = nil }
            return state.lateAnswer
        }
    }

    /// Waits for the call that has not returned in time. Returns whether there is none any more. The turn is held.
    @discardableResult
    private func receiveLateAnswer(within time: UInt64) -> Bool {
        guard let unanswered = state.withLock({ $0.unanswered }) else { return true }
        var raw = clinux_status()
        let result = withUnsafeMutableBytes(of: &raw) { receive(unanswered.number, within: time, into: $0) }
        guard let result else { return false }
        var answer = LateAnswer()
        answer.isOfPath = unanswered.isOpening || unanswered.path != nil
        if result < 0 {
            answer.error = SystemError(code: CInt(truncatingIfNeeded: -result))
        } else if unanswered.isOpening {
            close(CInt(truncatingIfNeeded: result))
        } else if let path = unanswered.path {
            answer.path = path
            answer.status = EntryStatus(raw)
        }
        let now = MonotonicClock.now()
        answer.duration = now &- unanswered.time
        state.withLock { state in
            state.unanswered = nil
            state.lateAnswer = answer
            if let last = state.lastLateAnswer, now &- last < MountAgent.lateAnswersApart {
                // The kernel may have cached the answer, so calls that follow at once are made.
                let start = now &+ limit
                state.pause = start..<start &+ min(now &- unanswered.time, MountAgent.pauseLimit)
            }
            state.lastLateAnswer = now
        }
        return true
    }

    /// Whether an impatient call would wait in vain.
    private var isRefusing: Bool {
        state.withLock { state in
            let now = MonotonicClock.now()
            let isBusy = state.patientSince.map { now &- $0 > limit } ?? false
            return state.unanswered != nil || state.isGone || isBusy || state.pause.contains(now)
        }
    }

    /// Makes a call, and copies the data of its reply to the buffer. Returns the result of the call.
    func call(
        _ operation: Int, _ directory: CInt?, _ name: UnsafePointer<CChar>, flags: UInt64 = 0,
        resolve: UInt64 = 0, key: UnsafePointer<CChar>? = nil,
        into buffer: UnsafeMutableRawBufferPointer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    ) throws(SystemError) -> Int {
        let isPatient = clinux_agent_is_patient() != 0
        let wait = isPatient ? patience : limit
        guard isPatient || !isRefusing, turn.begin(limit: wait) else { throw .timedOut }
        defer { turn.end() }
        let start = MonotonicClock.now()
        if isPatient {
            try awaitUnanswered(at: start)
            state.withLock { $0.patientSince = start }
        }
        defer { if isPatient { state.withLock { $0.patientSince = nil } } }
        // Another thread's call may have been given up meanwhile.
        guard isPatient ? !isGone : !isRefusing else { throw .timedOut }
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        var request = clinux_agent_request()
        request.number = number
        request.operation = UInt32(operation)
        request.directory = directory ?? Entry.workingDirectory
        request.flags = flags
        request.resolve = resolve
        request.size = UInt32(min(buffer.count, Int(CLINUX_AGENT_DATA)))
        do throws(SystemError) {
            let none: StaticString = ""
            try systemCall {
                none.utf8Start.withMemoryRebound(to: CChar.self, capacity: 1) {
                    clinux_agent_send(socket.number, &request, name, key ?? $0)
                }
            }
        } catch {
            if error == .nameTooLong { throw error }
            state.withLock { $0.isGone = true }
            throw .timedOut
        }
        guard let result = receive(number, within: wait, into: buffer) else {
            let isOfPath = operation == Int(CLINUX_AGENT_STATUS) && name.pointee == CChar(UInt8(ascii: "/"))
            giveUp(
                Unanswered(
                    number: number, time: start, isOpening: operation == Int(CLINUX_AGENT_OPEN),
                    path: isOfPath ? Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1)) : nil))
            throw .timedOut
        }
        guard result >= 0 else { throw SystemError(code: CInt(truncatingIfNeeded: -result)) }
        return Int(result)
    }

    /// Waits for a call that another thread has given up, up to the patience since it was made.
    private func awaitUnanswered(at now: UInt64) throws(SystemError) {
        guard let earlier = state.withLock({ $0.unanswered }) else { return }
        let end = earlier.time &+ patience
        guard receiveLateAnswer(within: end > now ? end - now : 0) else { throw .timedOut }
        answered()
    }

    private func giveUp(_ unanswered: Unanswered) {
        state.withLock { state in
            guard !state.isGone else { return }
            state.unanswered = unanswered
            if let waiter = state.waiter { return waiter.arm() }
            // Without a thread for it the answer is found by the next look.
            state.waiter = try? ReadinessThread(descriptor: socket.number, wake: answered)
        }
    }

    /// The result in the reply with this number; nil where there is none in so many nanoseconds.
    private func receive(_ number: UInt64, within time: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int64? {
        let end = MonotonicClock.now() &+ time
        var reply = clinux_agent_reply()
        while true {
            let count = clinux_agent_receive(socket.number, &reply, buffer.baseAddress, buffer.count)
            if count > 0, reply.number == number { return reply.result }
            if count > 0 || count == Int(-EINTR) { continue }
            guard count == Int(-EAGAIN) else {
                state.withLock { $0.isGone = true }
                return nil
            }
            let now = MonotonicClock.now()
            guard now < end else { return nil }
            var descriptor = pollfd(fd: socket.number, events: CShort(POLLIN), revents: 0)
            poll(&descriptor, 1, CInt(clamping: (end - now) / 1_000_000 + 1))
        }
    }
}
