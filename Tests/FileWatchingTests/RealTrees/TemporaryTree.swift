// A real directory below /tmp with a watcher on it, with the means of the tests to change and to check it.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Glibc
import LinuxSystem
import Metadata
import Synchronization
import TestSupport
import Testing

/// A temporary directory with helpers to change it; removed at the end.
final class TemporaryDirectory {
    let path: String

    init() {
        var template = Array("/tmp/gather-watching-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    }

    deinit { run("rm", "-rf", path) }

    func url(_ name: String) -> String { name.isEmpty ? path : "\(path)/\(name)" }

    func makeDirectory(_ name: String) { check(mkdir(url(name), 0o755), name) }

    func write(_ name: String, _ text: String = "text") {
        let file = open(url(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        check(file, name)
        _ = text.utf8.withContiguousStorageIfAvailable { Glibc.write(file, $0.baseAddress, $0.count) }
        close(file)
    }

    func append(_ name: String, _ text: String) {
        let file = open(url(name), O_WRONLY | O_APPEND | O_CLOEXEC)
        check(file, name)
        _ = text.utf8.withContiguousStorageIfAvailable { Glibc.write(file, $0.baseAddress, $0.count) }
        close(file)
    }

    func move(_ old: String, _ new: String) { check(rename(url(old), url(new)), "\(old) -> \(new)") }

    func exchange(_ a: String, _ b: String) {
        do { try Entry.rename(url(a), to: url(b), mode: .exchange) } catch {
            Issue.record("exchange \(a) \(b): \(error)")
        }
    }

    func remove(_ name: String) { check(unlink(url(name)), name) }
    func removeDirectory(_ name: String) { check(rmdir(url(name)), name) }
    func removeTree(_ name: String) { run("rm", "-rf", url(name)) }
    func link(_ old: String, _ new: String) { check(Glibc.link(url(old), url(new)), new) }
    func symlink(_ target: String, _ name: String) { check(Glibc.symlink(target, url(name)), name) }
    func setMode(_ name: String, _ mode: mode_t) { check(chmod(url(name), mode), name) }
    func setTags(_ name: String, _ tags: String) { setAttribute("xdg.tags", of: name, to: Array(tags.utf8)) }

    /// Sets an extended attribute of the namespace `user`.
    func setAttribute(_ attribute: String, of name: String, to value: [UInt8]) {
        value.withUnsafeBytes { bytes in
            do {
                let directory = try Directory.open(path, access: .path)
                try ExtendedAttributes.set("user.\(attribute)", of: name, in: directory.number, to: bytes)
            } catch {
                Issue.record("\(name): \(error)")
            }
        }
    }

    func removeAttribute(_ attribute: String, of name: String) {
        do {
            let directory = try Directory.open(path, access: .path)
            try ExtendedAttributes.remove("user.\(attribute)", of: name, in: directory.number)
        } catch {
            Issue.record("\(name): \(error)")
        }
    }

    func check(_ result: CInt, _ what: String) {
        if result < 0 { Issue.record("\(what): \(String(cString: strerror(errno)))") }
    }
}

/// Runs a program and waits for it.
@discardableResult
func run(_ arguments: String...) -> CInt {
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child = pid_t()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    closeInheritedDescriptors(&actions)
    guard let program = words[0], posix_spawnp(&child, program, &actions, nil, &words, environ) == 0 else { return -1 }
    var status: CInt = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status
}

/// A watcher with a tree of dictionaries, and the loop that drives it.
final class WatcherFixture {
    let kernel: LinuxKernel
    let tree: DictionaryTree
    let watcher: TreeWatcher<LinuxKernel, DictionaryTree>
    private let wake: WakeSignal
    private(set) var notices: [WatchNotice] = []
    /// Whether the kernel sees ``FileUser`` in each iteration.
    var isFileUser = false

    init(
        containers: [UInt32] = [1], tree: DictionaryTree? = nil, settings: WatchSettings = WatchSettings(),
        readsAccessLists: Bool = false, inotify: CInt? = nil, handover: HandoverMemory? = nil,
        mountTimeLimit: UInt64 = Patience.nanoseconds, mountPatience: UInt64 = WatchLimits.mountPatience,
        mountAgents: Int = WatchLimits.mountAgents
    ) throws {
        // On a busy machine, a FUSE server may take longer than a daemon waits.
        kernel = try LinuxKernel(
            readsAccessLists: readsAccessLists, inotify: inotify.map { Descriptor(owning: $0) }, handover: handover,
            mountTimeLimit: mountTimeLimit, mountPatience: mountPatience, mountAgents: mountAgents)
        self.tree = tree ?? DictionaryTree(containers: containers)
        let wake = try WakeSignal()
        self.wake = wake
        watcher = TreeWatcher(kernel: kernel, tree: self.tree, settings: settings) { wake.signal.set() }
        if let handover { watcher.beginHandover(in: handover) }
    }

    deinit { watcher.close() }

    /// As if the tree were saved after each iteration.
    private func save() {
        watcher.settleHandover(sequence: 1)
    }

    /// Iterates once without waiting.
    @discardableResult
    func iterate() -> Bool {
        wake.signal.clear()
        let more = isFileUser ? FileUser.act { watcher.iterate() } : watcher.iterate()
        notices += watcher.takeNotices()
        save()
        return more
    }

    /// Iterates until a condition holds, waiting in between as a daemon's loop would.
    func iterate(until condition: () -> Bool, _ what: String = "condition") {
        let patience = Patience()
        while !condition() {
            if iterate() { continue }
            if condition() { return }
            var timeout: CInt = 1000
            if let deadline = watcher.nextDeadline {
                let now = MonotonicClock.now()
                timeout = deadline <= now ? 0 : min(1000, CInt(min((deadline - now) / 1_000_000 + 1, 1000)))
            }
            var descriptors = [
                pollfd(fd: kernel.descriptor, events: CShort(POLLIN), revents: 0),
                pollfd(fd: wake.signal.number, events: CShort(POLLIN), revents: 0),
            ]
            poll(&descriptors, 2, timeout)
            guard !patience.isOver else {
                Issue.record("never reached: \(what): \(watcher.unfinished)")
                return
            }
        }
    }

    /// Waits for the barrier.
    func settle(_ what: String = "barrier") {
        let barrier = watcher.barrier()
        iterate(until: { watcher.isReached(barrier) }, what)
    }
}

/// An eventfd that threads may set.
final class WakeSignal: Sendable {
    let signal: Signal
    init() throws { signal = try Signal() }
}

/// Everything below a directory by a walk of its own, with readdir and statx, following nothing and staying on its
/// file system.
func walk(_ root: String, ignoring ignored: (String) -> Bool = { _ in false }) -> [[UInt8]: FileStatus] {
    var found: [[UInt8]: FileStatus] = [:]
    var stack: [[UInt8]] = [[]]
    while let directory = stack.popLast() {
        let path =
            (directory.isEmpty ? Array(root.utf8) : Array(root.utf8) + [0x2F] + directory)
            .map(CChar.init(bitPattern:)) + [0]
        guard let stream = opendir(path) else { continue }
        defer { closedir(stream) }
        while let record = readdir(stream) {
            let name = withUnsafeBytes(of: &record.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name == [0x2E] || name == [0x2E, 0x2E] || ignored(String(decoding: name, as: UTF8.self)) { continue }
            let text = name.map(CChar.init(bitPattern:)) + [0]
            guard let status = try? EntryStatus(of: text, in: dirfd(stream)) else { continue }
            let entry = directory.isEmpty ? name : directory + [0x2F] + name
            found[entry] = FileStatus(walked: status)
            if status.isDirectory, !status.isMountRoot { stack.append(entry) }
        }
    }
    return found
}

extension FileStatus {
    /// From statx, by other code than the product's.
    init(walked status: EntryStatus) {
        let kinds: [UInt16: FileKind] = [
            0o01: .fifo, 0o02: .characterDevice, 0o04: .directory, 0o06: .blockDevice, 0o10: .file, 0o12: .symlink,
            0o14: .socket,
        ]
        func time(_ time: EntryStatus.Time) -> Timestamp {
            Timestamp(nanoseconds: time.seconds * 1_000_000_000 + Int64(time.nanoseconds))
        }
        self.init(
            kind: kinds[status.mode >> 12] ?? .file, mode: status.mode & 0o7777, size: status.size,
            created: status.created.map(time), modified: time(status.modified), changed: time(status.changed),
            owner: status.owner, group: status.group, links: status.links, inode: status.inode, device: status.device)
    }
}

/// Expects the tree to be what a fresh walk finds. `excusingLinks`: a link that comes and goes between two look-ups
/// changes the file's other names, and the kernel has no event for it.
func expectEqual(
    _ tree: DictionaryTree, _ directory: String, container: UInt32 = 1, _ context: String = "",
    excusingLinks: Bool = false,
    ignoring ignored: (String) -> Bool = { _ in false }, sourceLocation: SourceLocation = #_sourceLocation
) {
    let known = tree.contents(of: container)
    let real = walk(directory, ignoring: ignored)
    guard known != real else { return }
    func text(_ path: [UInt8]) -> String { String(decoding: path, as: UTF8.self) }
    for path in known.keys where real[path] == nil {
        Issue.record("\(context): only in the tree: \(text(path))", sourceLocation: sourceLocation)
    }
    for (path, status) in real {
        if let other = known[path] {
            var excused = other
            if excusingLinks, other.kind != .directory {
                excused.links = status.links
                excused.changed = status.changed
            }
            if excused != status {
                Issue.record(
                    "\(context): \(text(path)) differs: tree \(other), file system \(status)",
                    sourceLocation: sourceLocation)
            }
        } else {
            Issue.record("\(context): not in the tree: \(text(path))", sourceLocation: sourceLocation)
        }
    }
}
