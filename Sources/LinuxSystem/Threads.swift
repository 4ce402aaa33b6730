// Work that several threads share for a moment.
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Synchronization

/// Work that several threads share for a moment.
package enum Threads {
    /// Has the calling thread give way to others of the process: its nice value becomes so much, where it is less. On Linux
    /// nice values belong to threads (`setpriority(2)`, notes). Nothing happens where that is refused.
    package static func giveWay(nice: CInt) {
        // 0 stands for the thread that calls.
        let which = CInt(PRIO_PROCESS.rawValue)
        if getpriority(which, 0) < nice { setpriority(which, 0, nice) }
    }

    /// Runs the calling thread only when no other thread wants the processor (SCHED_IDLE, sched(7)). A waking thread preempts it
    /// at once. A thread with a high nice value often runs on until the next tick, 4 ms at worst. No effect where refused. With
    /// hostile callers of every kind, the p99 of a change was 2.6 times the quiet one, and 5.4 to 6 times with a nice value of 10.
    /// The price: beside two programs that spin in the daemon's own group, six scans of 0.2 s took up to 6.9 s, with nice 10 up to
    /// 1.5 s.
    package static func giveWayToAll() {
        guard sched_getscheduler(0) == SCHED_OTHER else { return }
        var parameters = sched_param()
        sched_setscheduler(0, idlePolicy, &parameters)
    }

    /// Requests short scheduling slices for the calling thread, so that a running thread is preempted when this one wakes, and
    /// not after 3 ms (sched_setattr(2), Linux 6.12; earlier kernels ignore it). Its share of the processor does not grow. No
    /// effect where refused.
    package static func comeSoon() {
        guard sched_getscheduler(0) == SCHED_OTHER else { return }
        _ = clinux_set_slice(getpriority(CInt(PRIO_PROCESS.rawValue), 0), shortestSlice)
    }

    /// The kernel takes none shorter, in nanoseconds.
    private static let shortestSlice: UInt64 = 100_000

    /// `SCHED_IDLE`, which Glibc shows to GNU sources only.
    private static let idlePolicy: CInt = 5

    /// Starts a thread that runs `body`. It has to be joined or detached.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) -> RunningThread {
        var handle = pthread_t()
        let box = Unmanaged.passRetained(Body(body))
        let result = pthread_create(
            &handle, nil,
            { context in
                // The context is the box, which is given to one thread.
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            box.release()
            throw SystemError(code: result)
        }
        return RunningThread(handle)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private final class Work: Sendable {
        let next = Atomic<Int>(0)
        let count: Int
        // Used only until `perform` returns, which waits for every thread.
        let body: @Sendable (Int) -> Void

        init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
            self.count = count
            self.body = body
        }

        func run() {
            while true {
                let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard number < count else { return }
                body(number)
            }
        }
    }

    /// Calls `body` with each number below `count`, on this thread and on `others` more, and returns when all calls have.
    package static func perform(_ count: Int, others: Int, _ body: @Sendable (Int) -> Void) {
        withoutActuallyEscaping(body) { body in
            let work = Work(count, body)
            var threads: [RunningThread] = []
            for _ in 0..<min(others, count - 1) {
                if let thread = try? start({ work.run() }) { threads.append(thread) }
            }
            work.run()
            for thread in threads { thread.join() }
        }
    }
}
