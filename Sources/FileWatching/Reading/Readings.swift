// The readings of directories under way: the jobs that the threads have, and the tasks that they count for.
// SPDX-License-Identifier: Apache-2.0

/// The readings of directories under way.
///
/// A job reads one directory, and its ticket tells which. A task is a crawl or a comparison: the jobs that it has asked for, and those
/// that came of these. A barrier waits for a task whose position lies before it.
struct Readings {
    /// By number.
    private(set) var tasks: [UInt32: CrawlTask] = [:]
    private var lastTask: UInt32 = 0
    /// The crawls of this iteration: a burst of new directories is one, not one for each.
    private var tasksOfIteration: [CrawlTask.OfIteration: UInt32] = [:]
    /// Directories that are to be read, of all tasks.
    private var jobs = 0
    /// Directories that jobs are on their way to, by ticket.
    private var tickets: [UInt64: DirectoryID] = [:]
    /// Those of them that others than the task of the job wait for, and the first event position among these.
    private(set) var awaited: [DirectoryID: UInt64] = [:]
    /// Names that events have told of in directories that are being read, where extended attributes are read; by slot.
    private var touched: [Int32: Set<[UInt8]>] = [:]
    /// Directories that are another each time they are read.
    var unstable: UnstableDirectories

    /// - Parameter unstableAfter: see ``WatchLimits/readsAstray``.
    init(unstableAfter: UInt8) { unstable = UnstableDirectories(limit: unstableAfter) }

    /// Whether directories are being read.
    var areUnderWay: Bool { jobs > 0 }

    // MARK: Tasks

    /// A task; nil for one that has ended.
    subscript(task: UInt32) -> CrawlTask? { tasks[task] }

    /// An iteration of the loop begins.
    mutating func beginIteration() { tasksOfIteration = [:] }

    /// Begins a task.
    mutating func begin(for container: WatchedContainer, position: UInt64) -> UInt32 {
        repeat { lastTask &+= 1 } while lastTask == 0 || tasks[lastTask] != nil
        tasks[lastTask] = CrawlTask(container: container, position: position)
        return lastTask
    }

    /// Returns the task of this iteration for a container, for a change that an event reported or for another; begins
    /// it if there is none.
    mutating func taskOfIteration(for container: WatchedContainer, position: UInt64) -> UInt32 {
        let key = CrawlTask.OfIteration(container: container.number, isReported: position < .max)
        if let task = tasksOfIteration[key], let earlier = tasks[task], earlier.container === container { return task }
        let task = begin(for: container, position: position)
        tasksOfIteration[key] = task
        return task
    }

    mutating func end(_ task: UInt32) { tasks[task] = nil }

    /// A task counts for an earlier event, too. Returns false if it did, or has ended.
    mutating func lowerPosition(of task: UInt32, to position: UInt64) -> Bool {
        guard let earlier = tasks[task]?.position, position < earlier else { return false }
        tasks[task]?.position = position
        return true
    }

    // MARK: Jobs

    /// A directory is to be read for a task.
    mutating func submit(_ directory: DirectoryID, ticket: UInt64, task: UInt32, of container: WatchedContainer) {
        tasks[task]?.outstanding += 1
        jobs += 1
        container.outstanding += 1
        tickets[ticket] = directory
    }

    /// The thread that read a directory goes on with one in it, with this ticket.
    mutating func expect(_ directory: DirectoryID, ticket: UInt64) { tickets[ticket] = directory }

    /// A job is done, and so many others came of it.
    mutating func finishJob(of task: UInt32, children: Int) {
        jobs += children - 1
        guard let container = tasks[task]?.container else { return }
        tasks[task]?.outstanding += children - 1
        container.outstanding += children - 1
    }

    /// Returns the directory that a job is on its way to; nil if none is expected.
    func directory(of ticket: UInt64) -> DirectoryID? { tickets[ticket] }

    /// Takes the directory of a job that is done.
    mutating func takeDirectory(of ticket: UInt64) -> DirectoryID? { tickets.removeValue(forKey: ticket) }

    // MARK: Names that change meanwhile

    /// Whether names are noted for any directory.
    var hasTouched: Bool { !touched.isEmpty }

    /// A directory is about to be read, with the extended attributes of its entries: names that events tell of are noted from now on.
    mutating func noteTouched(in directory: DirectoryID) { touched[directory.slot] = [] }

    /// An event has told of a name in a directory.
    mutating func touched(_ name: UnsafeRawBufferPointer, in directory: DirectoryID) {
        if !touched.isEmpty { touched[directory.slot]?.insert(Array(name)) }
    }

    /// Returns the names that were noted for a directory.
    func touched(in directory: DirectoryID) -> Set<[UInt8]> { touched[directory.slot] ?? [] }

    /// Takes the names that were noted for a directory, which is read now.
    mutating func takeTouched(_ directory: DirectoryID) -> Set<[UInt8]> {
        touched.isEmpty ? [] : touched.removeValue(forKey: directory.slot) ?? []
    }

    /// A directory is gone, or is read anew.
    mutating func forgetTouched(_ directory: DirectoryID) { if !touched.isEmpty { touched[directory.slot] = nil } }

    // MARK: Readings that other work waits for

    /// A directory is being read, and more waits for that than the task.
    mutating func awaitReading(of directory: DirectoryID, position: UInt64) {
        if position < .max { awaited[directory] = min(awaited[directory] ?? .max, position) }
    }

    /// A directory was read, or is gone. Returns whether more has waited for it than the task.
    @discardableResult
    mutating func endAwaiting(_ directory: DirectoryID) -> Bool { awaited.removeValue(forKey: directory) != nil }

    /// Returns the event position that a job counts for: the earliest of its task's and of those that wait for it.
    /// `now` stands for a task that has ended.
    func position(ofTicket ticket: UInt64, task: UInt32, now: UInt64) -> UInt64 {
        let position = tasks[task]?.position ?? now
        guard !awaited.isEmpty, let id = tickets[ticket], let other = awaited[id] else { return position }
        return min(position, other)
    }
}
