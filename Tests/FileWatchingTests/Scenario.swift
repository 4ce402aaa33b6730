// A scenario: what programs do, how their events are read, and what the tree must be told. One step a line:
//
//   mkdir P | create P [INODE] | write P SIZE | rm P | mv P Q | exchange P Q | link P Q     programs; events are queued
//   mount P | unmount P | unreadable P | readable P | unsearchable P | searchable P         programs
//   outside P ...                the same for a path outside of the container: outside/...
//   start                        watches and crawls the container; what that tells the tree is not expected
//   read [N]                     the watcher reads N events, or all, and has one turn
//   turn                         a turn without new events
//   overflow [N]                 all events but the first N are lost
//   swap A B                     two queued events change places
//   wait MS                      time passes, then a turn
//   hold crawl | go crawl        directories are not read, or are again
//   settle [now]                 turns until the barrier is reached; now: without waiting for anything
//   rest                         turns until the watcher has nothing to do at once
//   watches N | descriptors N    how many watches there are, and how many directories can be open
//   barrier | waits              makes a barrier, and expects that it is not reached yet
//   expect LINE, ...             exactly these operations since the last expect; empty for none
//   told LINE, ...               the same, in whatever order
//   same P IDENTITY              the entry has the identity that `name P IDENTITY` gave it
//   name P IDENTITY              remembers an entry's identity
//
// Paths lie in the container, `c` of the played file system, unless they begin with `outside/`; `.` is the container itself. At the end the tree
// must equal the file system, whatever was expected on the way.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Metadata
import Synchronization
import Testing

/// Plays one scenario.
final class Scenario {
    private let kernel = PlayedKernel()
    private let tree = DictionaryTree()
    private let watcher: TreeWatcher<PlayedKernel, DictionaryTree>
    private var identities: [String: Int] = [:]
    private var barrier: Barrier?
    private var notices: [WatchNotice] = []

    init() {
        var settings = WatchSettings()
        settings.crawlThreads = 0
        watcher = TreeWatcher(kernel: kernel, tree: tree, settings: settings) {}
        kernel.create("/c", .directory)
        kernel.create("/outside", .directory)
    }

    func play(_ text: String, _ title: String, sourceLocation: SourceLocation) {
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
            guard let verb = words.first else { continue }
            let context = "\(title), line \(number + 1): \(line)"
            if verb == "expect" || verb == "told" {
                let expected = line.drop { $0 == " " }.dropFirst(verb.count).split(separator: ",")
                    .map { $0.trimmed }.filter { !$0.isEmpty }
                let said = verb == "told" ? tree.log.sorted() : tree.log
                #expect(
                    said == (verb == "told" ? expected.sorted() : expected), "\(context)",
                    sourceLocation: sourceLocation)
                tree.log = []
            } else {
                step(verb, Array(words.dropFirst()), context, sourceLocation)
            }
        }
        settle(title, sourceLocation)
        #expect(
            tree.contents(of: 1) == kernel.contents(below: "/c"), "\(title): at the end",
            sourceLocation: sourceLocation)
        watcher.close()
        #expect(kernel.state.withLock { $0.descriptors.isEmpty }, "\(title): descriptors are open")
    }

    private func path(_ word: String) -> String {
        if word == "." { return "/c" }
        return word.hasPrefix("outside/") ? "/" + word : "/c/" + word
    }

    private func step(_ verb: String, _ words: [String], _ context: String, _ sourceLocation: SourceLocation) {
        let paths = words.map(path)
        switch verb {
        case "mkdir": kernel.create(paths[0], .directory, inode: words.count > 1 ? UInt64(words[1]) : nil)
        case "create": kernel.create(paths[0], inode: words.count > 1 ? UInt64(words[1]) : nil)
        case "write": kernel.write(paths[0], size: Int64(words[1]) ?? 0)
        case "rm": kernel.remove(paths[0])
        case "mv": kernel.move(paths[0], paths[1])
        case "exchange": kernel.exchange(paths[0], paths[1])
        case "link": kernel.link(paths[0], paths[1])
        case "mount": kernel.setMountRoot(paths[0], true)
        case "unmount": kernel.setMountRoot(paths[0], false)
        case "unreadable": kernel.setUnreadable(paths[0], true)
        case "readable": kernel.setUnreadable(paths[0], false)
        case "unsearchable": kernel.setUnsearchable(paths[0], true)
        case "searchable": kernel.setUnsearchable(paths[0], false)
        case "descriptors":
            // What the watcher has open is its own to let go.
            kernel.state.withLock { $0.descriptorLimit = Int(words[0]) ?? .max }
        case "rest":
            kernel.state.withLock { $0.readable = nil }
            var (turns, idle) = (0, 0)
            // Directories are read at the beginning of a turn, so one without more to do may have another follow.
            while idle < 4, turns < 100 {
                idle = turn() ? 0 : idle + 1
                turns += 1
            }
            #expect(idle == 4, "\(context): there is always more to do", sourceLocation: sourceLocation)
            kernel.state.withLock { $0.readable = 0 }
        case "watches": kernel.state.withLock { $0.watchLimit = Int(words[0]) ?? .max }
        case "start":
            watcher.addContainer(1, path: "/c")
            settle(context, sourceLocation)
            tree.log = []
        case "read":
            kernel.state.withLock { $0.readable = words.first.flatMap { Int($0) } }
            turn()
            kernel.state.withLock { $0.readable = 0 }
        case "turn": turn()
        case "overflow":
            if let kept = words.first.flatMap({ Int($0) }) { kernel.overflow(after: kept) } else { kernel.overflow() }
        case "swap": kernel.swapEvents(Int(words[0]) ?? 0, Int(words[1]) ?? 0)
        case "wait":
            kernel.advance((UInt64(words[0]) ?? 0) * 1_000_000)
            turn()
        case "hold": watcher.performsJobs = false
        case "go": watcher.performsJobs = true
        case "settle": settle(context, atOnce: words.first == "now", sourceLocation)
        case "rescan": watcher.rescan(1) { _ in }
        case "name": identities[words[1]] = tree.identity(at: words[0])
        case "same":
            #expect(
                tree.identity(at: words[0]) == identities[words[1]], "\(context)", sourceLocation: sourceLocation)
        case "state":
            let state = watcher.state(of: 1).map { "\($0)" } ?? ""
            #expect(state.hasPrefix(words[0]), "\(context)", sourceLocation: sourceLocation)
        case "barrier": barrier = watcher.barrier()
        case "waits":
            #expect(barrier.map { watcher.isReached($0) } == false, "\(context)", sourceLocation: sourceLocation)
        case "reached":
            #expect(watcher.isReached(watcher.barrier()), "\(context)", sourceLocation: sourceLocation)
        default: Issue.record("what is \(verb)? \(context)", sourceLocation: sourceLocation)
        }
    }

    @discardableResult
    private func turn() -> Bool {
        let more = watcher.turn()
        notices += watcher.takeNotices()
        return more
    }

    /// Reads everything, and lets time pass where the watcher waits for it.
    private func settle(_ context: String, atOnce: Bool = false, _ sourceLocation: SourceLocation) {
        kernel.state.withLock { $0.readable = nil }
        watcher.performsJobs = true
        let barrier = watcher.barrier()
        for _ in 0..<1000 {
            let more = turn()
            if watcher.isReached(barrier) {
                kernel.state.withLock { $0.readable = 0 }
                return
            }
            if more { continue }
            if atOnce { break }
            if let deadline = watcher.nextDeadline { kernel.state.withLock { $0.now = max($0.now, deadline) } }
        }
        Issue.record("never settled: \(context): \(watcher.unfinished)", sourceLocation: sourceLocation)
    }
}

extension Substring {
    var trimmed: String {
        String(self.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
