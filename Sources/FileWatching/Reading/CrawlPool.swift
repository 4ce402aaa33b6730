// The crawling threads: a stack of directories to read, and the results for the loop to take.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Synchronization

/// The threads that read directories. They know the kernel and nothing of the tree: whole directories go to the loop as
/// results, each before those of the directories below it.
///
/// Sendable by `mutex`: `state` is touched only while it is held.
final class CrawlPool<Kernel: WatchKernel>: @unchecked Sendable {
    private struct State {
        /// Last in, first out: that keeps the stack short and the file system's caches warm.
        var jobs: [CrawlJob] = []
        /// Jobs on mounts that may hang, by the mount's number. Each mount has a thread while it has an entry here.
        var mountJobs: [Int: [CrawlJob]] = [:]
        var results: [CrawlResult] = []
        /// Entries in `results` and in the results that the loop took last, to hold the threads back.
        var entriesAhead = 0
        /// Entries in `results`.
        var entriesWaiting = 0
        /// Whether the loop was woken since it took results last.
        var isWoken = false
        var stopping = false

        /// Whether it is time for the loop to look. While there is more to read it is woken for many results at a time: an
        /// iteration for each directory took the loop as long as the results themselves.
        var wantsLoop: Bool {
            !isWoken && (jobs.isEmpty || entriesWaiting >= entriesForAWake || results.count >= resultsForAWake)
        }
        private let entriesForAWake = 2_048
        private let resultsForAWake = 256
    }

    private let kernel: Kernel
    private let budget: WatchBudget
    private let wake: @Sendable () -> Void
    private let threadCount: Int
    private let entriesAheadLimit: Int
    private let limits: WatchLimits
    private var state = State()
    // Plain pthreads: the threads wait for jobs, and Swift's Mutex has no condition. Allocated here and released in
    // deinit, since they must not move.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let hasJobs: UnsafeMutablePointer<pthread_cond_t>
    private let hasRoom: UnsafeMutablePointer<pthread_cond_t>
    private var threads: [RunningThread] = []
    private let nextTicket = Atomic<UInt64>(1)
    /// The number of a reading that begins now: it is raised whenever everything read before may be out of date.
    private let round = Atomic<UInt32>(1)
    /// Raised with each change to a file that has more than one name: the status of such files as read before may be
    /// old.
    private let linkEpoch = Atomic<UInt32>(0)
    /// As `state.stopping`, for callers that do not hold the mutex.
    private let isStopping = Atomic<Bool>(false)

    init(
        kernel: Kernel, budget: WatchBudget, threads: Int, entriesAheadLimit: Int, limits: WatchLimits,
        wake: @escaping @Sendable () -> Void
    ) {
        self.kernel = kernel
        self.budget = budget
        self.wake = wake
        self.entriesAheadLimit = entriesAheadLimit
        self.limits = limits
        threadCount = threads
        mutex = .allocate(capacity: 1)
        hasJobs = .allocate(capacity: 1)
        hasRoom = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(hasJobs, nil)
        pthread_cond_init(hasRoom, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(hasJobs)
        pthread_cond_destroy(hasRoom)
        mutex.deallocate()
        hasJobs.deallocate()
        hasRoom.deallocate()
    }

    /// Tickets that were never given out: the first of so many.
    func tickets(_ count: Int) -> UInt64 {
        nextTicket.wrappingAdd(UInt64(count), ordering: .relaxed).oldValue
    }

    /// Begins a new round and returns it: whatever begins to be read from now on is good for it.
    func raiseRound() -> UInt32 { round.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }

    /// The round that a reading which begins now is good for.
    var currentRound: UInt32 { round.load(ordering: .acquiring) }

    /// A file with several names has changed.
    func raiseLinkEpoch() { linkEpoch.wrappingAdd(1, ordering: .releasing) }

    var currentLinkEpoch: UInt32 { linkEpoch.load(ordering: .acquiring) }

    /// Asks for a directory. The threads start with the first job.
    func submit(_ job: CrawlJob) {
        let mount = threadCount > 0 ? kernel.mount(ofOpen: job.root.number) : nil
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if let mount, ensureThread(of: mount) {
            state.mountJobs[mount]?.append(job)
            return
        }
        state.jobs.append(job)
        let starts = threads.isEmpty && threadCount > 0 && !state.stopping
        if starts { start() }
        pthread_cond_signal(hasJobs)
    }

    /// Takes all results. `processed` is how many entries of those taken before the loop has worked off since.
    func take(processed: Int) -> [CrawlResult] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        state.entriesAhead -= processed
        if processed > 0 { pthread_cond_broadcast(hasRoom) }
        let results = state.results
        state.results = []
        state.entriesWaiting = 0
        state.isWoken = false
        return results
    }

    /// Does one job on the caller's thread; false where there is none. For a watcher without threads.
    func performOne() -> Bool {
        pthread_mutex_lock(mutex)
        let job = state.jobs.popLast()
        pthread_mutex_unlock(mutex)
        guard let job else { return false }
        let reader = makeReader()
        perform(job, reader, mount: nil)
        return true
    }

    private func makeReader() -> DirectoryReader<Kernel> {
        DirectoryReader(kernel: kernel, budget: budget, limits: limits) { [self] in isStopping.load(ordering: .relaxed)
        }
    }

    /// Ends the threads; jobs that no thread has begun are dropped.
    func stop() {
        pthread_mutex_lock(mutex)
        state.stopping = true
        isStopping.store(true, ordering: .relaxed)
        state.jobs = []
        let running = threads
        threads = []
        pthread_cond_broadcast(hasJobs)
        pthread_cond_broadcast(hasRoom)
        pthread_mutex_unlock(mutex)
        kernel.interruptMounts()
        for thread in running { thread.join() }
        pthread_mutex_lock(mutex)
        while !state.mountJobs.isEmpty { pthread_cond_wait(hasRoom, mutex) }
        pthread_mutex_unlock(mutex)
    }

    /// Starts the threads; the mutex is held.
    private func start() {
        for _ in 0..<threadCount {
            if let thread = try? Threads.start({ [self] in run() }) { threads.append(thread) }
        }
    }

    /// Starts a thread for a mount that has none. Returns whether it has one then. The mutex is held.
    private func ensureThread(of mount: Int) -> Bool {
        if state.mountJobs[mount] != nil { return true }
        guard !state.stopping, let thread = try? Threads.start({ [self] in run(mount) }) else { return false }
        thread.detach()
        state.mountJobs[mount] = []
        return true
    }

    /// Reads the directories of one mount until there are none left. No other thread waits for its server meanwhile.
    private func run(_ mount: Int) {
        MountAgent.makeThreadPatient()
        let reader = makeReader()
        while true {
            pthread_mutex_lock(mutex)
            while state.entriesAhead > entriesAheadLimit && !state.stopping { pthread_cond_wait(hasRoom, mutex) }
            guard !state.stopping, let job = state.mountJobs[mount]?.popLast() else {
                state.mountJobs[mount] = nil
                pthread_cond_broadcast(hasRoom)
                pthread_mutex_unlock(mutex)
                return
            }
            pthread_mutex_unlock(mutex)
            perform(job, reader, mount: mount)
        }
    }

    private func run() {
        let reader = makeReader()
        while true {
            pthread_mutex_lock(mutex)
            while state.jobs.isEmpty && !state.stopping { pthread_cond_wait(hasJobs, mutex) }
            while state.entriesAhead > entriesAheadLimit && !state.stopping { pthread_cond_wait(hasRoom, mutex) }
            let job = state.jobs.popLast()
            let stopping = state.stopping
            pthread_mutex_unlock(mutex)
            if stopping { return }
            if let job { perform(job, reader, mount: nil) }
        }
    }

    private func perform(_ job: CrawlJob, _ reader: borrowing DirectoryReader<Kernel>, mount: Int?) {
        var children: [CrawlJob] = []
        let round = round.load(ordering: .acquiring)
        let linkEpoch = linkEpoch.load(ordering: .acquiring)
        var result = reader.read(job, round: round, tickets: { tickets($0) }, jobs: &children)
        result.linkEpoch = linkEpoch
        pthread_mutex_lock(mutex)
        state.entriesAhead += result.batch.weight
        state.entriesWaiting += result.batch.weight
        // The result goes in before anybody can begin with the directories below, so the loop knows them first.
        state.results.append(result)
        if let mount {
            state.mountJobs[mount]?.append(contentsOf: children)
        } else {
            state.jobs.append(contentsOf: children)
            if children.count > 1 { pthread_cond_broadcast(hasJobs) }
        }
        let wakes = state.wantsLoop || (!state.isWoken && state.entriesAhead > entriesAheadLimit)
        if wakes { state.isWoken = true }
        pthread_mutex_unlock(mutex)
        if wakes { wake() }
    }
}
