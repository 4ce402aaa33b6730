// Plays a scenario: steps of programs, the reading of their events, and operations that the tree must be told. Scenarios/README.md
// describes the steps.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

/// Plays one scenario against a watcher over a played kernel.
final class Scenario {
    let kernel = PlayedKernel()
    let tree = DictionaryTree()
    private(set) var watcher: TreeWatcher<PlayedKernel, DictionaryTree>
    private let settings: WatchSettings
    private var identities: [String: Int] = [:]
    private var barrier: Barrier?
    /// The containers, by number, with their paths in the played file system.
    private var containers: [UInt32: String] = [:]
    /// Whether extended attributes were asked for, and the containers that were asked for theirs, and that have them.
    private var asksForXattrs = false
    private var asked: Set<UInt32> = []
    private var filled: Set<UInt32> = []
    /// Whether the watcher has the iterations that it asks for, and no others, as the daemon has them.
    private let isDriven: Bool
    /// Where the containers are.
    private let sourceLocation: SourceLocation

    init(
        isDriven: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout WatchSettings) -> Void = { _ in }
    ) {
        self.isDriven = isDriven
        self.sourceLocation = sourceLocation
        var settings = WatchSettings()
        settings.crawlThreads = 0
        change(&settings)
        self.settings = settings
        watcher = TreeWatcher(kernel: kernel, tree: tree, settings: settings) { [kernel] in
            kernel.state.withLock { $0.isWoken = true }
        }
        kernel.create("/c", .directory)
        kernel.create("/outside", .directory)
    }

    func play(_ text: String, _ title: String, sourceLocation: SourceLocation) {
        do throws(ScenarioScript.Mistake) {
            play(try ScenarioScript(text, name: title))
        } catch {
            Issue.record("\(error)", sourceLocation: sourceLocation)
        }
    }

    /// Plays a whole scenario, its end included.
    func play(_ script: ScenarioScript) {
        for step in script.steps { play(step, of: script.name) }
        end(script.name)
    }

    /// Everything is heard, and then each container's tree equals the played file system.
    func end(_ context: String) {
        settle(context)
        for (number, path) in containers {
            #expect(
                kernel.received(tree.contents(of: number)) == kernel.received(kernel.contents(below: path)),
                "\(context): at the end",
                sourceLocation: sourceLocation)
        }
        let wrong = wrongXattrs()
        #expect(wrong == [], "\(context): at the end", sourceLocation: sourceLocation)
        watcher.close()
        #expect(
            kernel.state.withLock { $0.descriptors.isEmpty }, "\(context): descriptors are open",
            sourceLocation: sourceLocation)
    }

    /// Plays one step.
    func play(_ step: ScenarioScript.Step, of name: String) {
        let context = "\(name):\(step.line): \(step.text)"
        if let reason = refusal(of: step) {
            Issue.record("\(context): \(reason)", sourceLocation: sourceLocation)
            return
        }
        switch step.verb {
        case .mkdir, .create, .symlink, .write, .tag, .rm, .mv, .exchange, .link, .mount, .unmount, .unreadable,
            .readable, .unsearchable, .searchable:
            change(step)
        case let verb where verb.isCheck: check(step, context)
        default: perform(step, context)
        }
    }

    private func path(_ word: String) -> String {
        if word == "." { return "/c" }
        if word.hasPrefix("/") { return word }
        return word.hasPrefix("outside/") ? "/" + word : "/c/" + word
    }

    /// Why a step cannot be played: the file system would refuse it.
    private func refusal(of step: ScenarioScript.Step) -> String? {
        let paths = zip(step.words, step.verb.words).filter { $1 == .path }.map { path($0.0) }
        func missing(_ path: String) -> String? { kernel.kind(path) == nil ? "there is no \(path)" : nil }
        switch step.verb {
        case .mkdir, .create, .symlink: return kernel.kind(paths[0]) == nil ? nil : "there is a \(paths[0])"
        case .rm, .mount, .unmount, .unreadable, .readable, .unsearchable, .searchable, .write, .tag:
            return missing(paths[0])
        case .mv: return missing(paths[0])
        case .exchange: return missing(paths[0]) ?? missing(paths[1])
        case .link: return missing(paths[0]) ?? (kernel.kind(paths[1]) == nil ? nil : "there is a \(paths[1])")
        default: return nil
        }
    }

    private func change(_ step: ScenarioScript.Step) {
        let paths = step.words.map(path)
        let inode = step.words.count > 1 ? UInt64(step.words[1]) : nil
        switch step.verb {
        case .mkdir: kernel.create(paths[0], .directory, inode: inode)
        case .create: kernel.create(paths[0], inode: inode)
        case .symlink: kernel.create(paths[0], .symlink)
        case .write: kernel.write(paths[0], size: Int64(step.words[1]) ?? 0)
        case .tag: kernel.setXattrs(paths[0], ["xdg.tags": step.words[1]])
        case .rm: kernel.remove(paths[0])
        case .mv: kernel.move(paths[0], paths[1])
        case .exchange: kernel.exchange(paths[0], paths[1])
        case .link: kernel.link(paths[0], paths[1])
        case .mount: kernel.setMountRoot(paths[0], true)
        case .unmount: kernel.setMountRoot(paths[0], false)
        case .unreadable: kernel.setUnreadable(paths[0], true)
        case .readable: kernel.setUnreadable(paths[0], false)
        case .unsearchable: kernel.setUnsearchable(paths[0], true)
        case .searchable: kernel.setUnsearchable(paths[0], false)
        default: break
        }
    }

    private func perform(_ step: ScenarioScript.Step, _ context: String) {
        let iterations: Set<ScenarioScript.Verb> = [.read, .turn, .wait, .crawl]
        defer { if isDriven, iterations.contains(step.verb) { iterateAsAsked(context) } }
        let numbers = step.words.map { UInt64($0) ?? 0 }
        switch step.verb {
        case .descriptors:
            // Descriptors that the watcher has open are its own to let go.
            kernel.state.withLock { $0.descriptorLimit = Int(numbers[0]) }
        case .watches: kernel.state.withLock { $0.watchLimit = Int(numbers[0]) }
        case .overflow:
            if let kept = numbers.first { kernel.overflow(after: Int(kept)) } else { kernel.overflow() }
        case .swap: kernel.swapEvents(Int(numbers[0]), Int(numbers[1]))
        case .start: addContainer(1, "/c", context)
        case .restart: restart()
        case .container: addContainer(UInt32(numbers[0]), path(step.words[1]), context)
        case .read:
            kernel.state.withLock { $0.readable = numbers.first.map { Int($0) } }
            iterate()
            kernel.state.withLock { $0.readable = 0 }
        case .turn: iterate()
        case .wait:
            kernel.advance(numbers[0] * 1_000_000)
            iterate()
        case .hold: watcher.jobs.areRead = false
        case .go: watcher.jobs.areRead = true
        case .crawl: crawl(Int(numbers[0]))
        case .rest: rest(context)
        case .settle: settle(context, atOnce: step.words.first == "now")
        case .rescan: watcher.rescan(1) { _ in }
        case .fill: fill()
        case .barrier: barrier = watcher.barrier()
        default: break
        }
    }

    private func check(_ step: ScenarioScript.Step, _ context: String) {
        switch step.verb {
        case .expect, .told:
            let said = step.verb == .told ? tree.log.sorted() : tree.log
            let expected = step.verb == .told ? step.words.sorted() : step.words
            #expect(said == expected, "\(context)", sourceLocation: sourceLocation)
            tree.log = []
        case .tree:
            let paths = tree.contents(of: 1).map { path, status in
                String(decoding: path, as: UTF8.self) + (status.kind == .directory ? "/" : "")
            }
            #expect(paths.sorted() == step.words.sorted(), "\(context)", sourceLocation: sourceLocation)
        case .name:
            identities[step.words[1]] = tree.identity(at: step.words[0])
            #expect(
                identities[step.words[1]] != nil, "\(context): the tree has no such entry",
                sourceLocation: sourceLocation)
        case .same:
            #expect(
                tree.identity(at: step.words[0]) == identities[step.words[1]], "\(context)",
                sourceLocation: sourceLocation)
        case .other:
            #expect(
                tree.identity(at: step.words[0]) != identities[step.words[1]], "\(context)",
                sourceLocation: sourceLocation)
        case .state:
            let state = watcher.state(of: 1).map { "\($0)" } ?? ""
            #expect(state.hasPrefix(step.words[0]), "\(context): \(state)", sourceLocation: sourceLocation)
        case .waits:
            #expect(barrier.map { watcher.isReached($0) } == false, "\(context)", sourceLocation: sourceLocation)
        case .reached:
            #expect(watcher.isReached(barrier ?? watcher.barrier()), "\(context)", sourceLocation: sourceLocation)
        default: break
        }
    }

    /// Has extended attributes read in every container that is there, and in those to come while they are read for the first time.
    private func fill() {
        asksForXattrs = true
        for number in containers.keys where asked.insert(number).inserted {
            watcher.setReadsXattrs(number) { self.filled.insert(number) }
        }
    }

    /// The entries whose extended attributes are not those of the file system, in containers that were asked for theirs.
    func wrongXattrs() -> [String] {
        var wrong: [String] = []
        for (number, path) in containers where asked.contains(number) {
            guard filled.contains(number) else {
                wrong.append("\(path) is not filled")
                continue
            }
            for name in tree.contents(of: number).keys {
                let name = String(decoding: name, as: UTF8.self)
                guard let node = tree.node(at: name, in: number), let inode = kernel.inode(path + "/" + name) else {
                    continue
                }
                let expected = kernel.state.withLock { $0.inodes[inode]?.xattrs }
                if tree.entry(node).xattrs != expected { wrong.append("\(path)/\(name): extras") }
            }
        }
        return wrong.sorted()
    }

    private func addContainer(_ number: UInt32, _ path: String, _ context: String) {
        if number != 1 { tree.addContainer(number) }
        if kernel.kind(path) == nil { kernel.create(path, .directory) }
        containers[number] = path
        watcher.addContainer(number, path: path)
        if asksForXattrs {
            fill()
            return
        }
        settle(context)
        tree.log = []
    }

    /// Another process comes with what this one has saved, which has neither watches nor detached rows.
    private func restart() {
        watcher.close()
        kernel.endWatches()
        for number in containers.keys { tree.load(number) }
        watcher = TreeWatcher(kernel: kernel, tree: tree, settings: settings) { [kernel] in
            kernel.state.withLock { $0.isWoken = true }
        }
        for (number, path) in containers.sorted(by: { $0.key < $1.key }) {
            watcher.addContainer(number, path: path, isKnown: true, readsXattrs: asked.contains(number))
        }
        filled = asked
    }

    /// Reads some directories and no more.
    private func crawl(_ count: Int) {
        let jobs = watcher.jobs.perIteration
        (watcher.jobs.areRead, watcher.jobs.perIteration) = (true, count)
        iterate()
        (watcher.jobs.areRead, watcher.jobs.perIteration) = (false, jobs)
    }

    @discardableResult
    private func iterate() -> Bool {
        defer { _ = watcher.takeNotices() }
        return watcher.iterate()
    }

    /// Iterates as long as the watcher asks for the next at once. Its work ends, and the event that it waits for wakes it.
    private func iterateAsAsked(_ context: String) {
        let limit = 10_000
        var iterations = 0
        while iterations < limit, iterate() { iterations += 1 }
        #expect(
            iterations < limit, "\(context): it asks for iteration after iteration: \(watcher.unfinished)",
            sourceLocation: sourceLocation)
    }

    /// Whether something would have the daemon call the watcher: events that it can read, a directory that was read, or a time
    /// that it has named. An iteration without anything else is that of the threads, which the watcher has not.
    private func isCalled() -> Bool {
        if watcher.nextDeadline != nil { return true }
        let isReadable = kernel.state.withLock { state in
            defer { state.isWoken = false }
            return state.isWoken || !state.queue.isEmpty && state.readable != 0
        }
        if isReadable { return true }
        iterate()
        return kernel.state.withLock { $0.isWoken }
    }

    private func rest(_ context: String) {
        kernel.state.withLock { $0.readable = nil }
        var (iterations, idle) = (0, 0)
        // Directories are read at the beginning of an iteration, so one without more to do may have another follow.
        while idle < 4, iterations < 100 {
            idle = iterate() ? 0 : idle + 1
            iterations += 1
        }
        #expect(idle == 4, "\(context): there is always more to do", sourceLocation: sourceLocation)
        kernel.state.withLock { $0.readable = 0 }
    }

    /// Reads everything, and lets time pass where the watcher waits for it.
    private func settle(_ context: String, atOnce: Bool = false) {
        kernel.state.withLock { $0.readable = nil }
        watcher.jobs.areRead = true
        let barrier = watcher.barrier()
        for _ in 0..<1000 {
            let more = iterate()
            if watcher.isReached(barrier), filled == asked {
                kernel.state.withLock { $0.readable = 0 }
                return
            }
            if more { continue }
            if atOnce { break }
            if isDriven, !isCalled() {
                Issue.record("nothing wakes it: \(context): \(watcher.unfinished)", sourceLocation: sourceLocation)
                return
            }
            if let deadline = watcher.nextDeadline { kernel.state.withLock { $0.now = max($0.now, deadline) } }
        }
        Issue.record("never settled: \(context): \(watcher.unfinished)", sourceLocation: sourceLocation)
    }
}
