// Cuts a random scenario that failed down to the steps that it takes.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import Metadata
import Synchronization
import Testing

/// Leaves out what a failure does not need: plays a scenario again without some of its steps, as long as it goes on failing.
struct ScenarioShrinker {
    let containers: [UInt32: String]
    let hasModel: Bool
    /// Whether identities that a move changes are a failure.
    let judgesMoves: Bool

    /// The least lines that fail as these do, as far as leaving out runs of them finds it.
    func shrink(_ lines: [String], _ makePlayer: () -> Scenario) -> [String] {
        // A settle that follows a hard link, or something from outside, goes and stays with it.
        var steps: [[String]] = []
        for line in lines {
            if line == "settle", let last = steps.last?.last,
                last.hasPrefix("link") || last.hasPrefix("mv outside")
                    || (last.hasPrefix("exchange") && last.contains("outside"))
            {
                steps[steps.count - 1].append(line)
            } else {
                steps.append([line])
            }
        }
        var size = max(steps.count / 2, 1)
        while true {
            var start = 0
            var isShorter = false
            while start < steps.count {
                var fewer = steps
                fewer.removeSubrange(start..<min(start + size, steps.count))
                if fails(fewer.flatMap { $0 }, makePlayer()) != nil {
                    steps = fewer
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter {
                let least = steps.flatMap { $0 }
                return fails(least, makePlayer()) ?? least
            }
            if !isShorter { size = max(size / 2, 1) }
        }
    }

    /// Plays it, without the steps that are not possible any more.
    func fails(_ lines: [String], _ player: Scenario) -> [String]? {
        guard lines.contains("start"), containers.count < 2 || lines.contains("container 2 /o") else { return nil }
        var played: [String] = []
        var isWrong = false
        withKnownIssue(isIntermittent: true) {
            isWrong = play(lines, player, &played)
            player.watcher.close()
        }
        return isWrong ? played : nil
    }

    private func play(_ lines: [String], _ player: Scenario, _ played: inout [String]) -> Bool {
        var model = hasModel ? ScenarioModel(containers) : nil
        var moves = MoveModel()
        var kept = 0
        var hasStarted = false
        for line in lines {
            guard let step = try? ScenarioScript(line, name: "", needsStart: false).steps.first else { return false }
            if step.verb == .overflow {
                let queued = player.kernel.state.withLock { $0.queue.count }
                guard let count = step.words.first.flatMap({ Int($0) }), (kept..<max(queued, kept)).contains(count)
                else { continue }
            }
            guard isPossible(step, player.kernel) else { continue }
            played.append(line)
            moves.note(step, player.kernel)
            model?.note(step, player.kernel)
            player.play(step, of: "")
            switch step.verb {
            case .start:
                hasStarted = true
                model?.begin(player.tree, player.kernel)
            case .settle where hasStarted:
                for (number, path) in containers
                where player.kernel.received(player.tree.contents(of: number))
                    != player.kernel.received(player.kernel.contents(below: path))
                { return true }
                if !player.wrongXattrs().isEmpty { return true }
                if judgesMoves, !moves.check(player.tree, player.kernel, containers).isEmpty { return true }
                if model?.check(player.tree, player.kernel).isEmpty == false { return true }
            default: break
            }
            if step.verb.mayRead {
                kept = player.kernel.state.withLock { $0.queue.count }
            }
        }
        return false
    }

    /// Whether the file system of a shorter scenario still allows a step.
    func isPossible(_ step: ScenarioScript.Step, _ kernel: PlayedKernel) -> Bool {
        let paths = zip(step.words, step.verb.words).filter { $1 == .path }.map { absolute($0.0) }
        // A change of a file outside that has another name inside has no event.
        for path in paths where path.hasPrefix("/outside") && kernel.kind(path) == .file {
            let links = kernel.inode(path).flatMap { inode in kernel.state.withLock { $0.inodes[inode]?.status.links } }
            if links ?? 1 > 1 { return false }
        }
        for path in paths where path != "/c" {
            let parent = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
            guard parent == "/" || kernel.kind(parent) == .directory else { return false }
        }
        func isEmpty(_ path: String) -> Bool { kernel.contents(below: path, asSeen: false).isEmpty }
        func isDirectory(_ path: String) -> Bool { kernel.kind(path) == .directory }
        switch step.verb {
        case .mkdir, .create, .symlink:
            let inode = step.words.count > 1 ? UInt64(step.words[1]) : nil
            let isFree = kernel.state.withLock { $0.inodes[inode ?? $0.nextInode] == nil }
            return isFree && kernel.kind(paths[0]) == nil
        case .write: return kernel.kind(paths[0]) == .file
        case .tag: return kernel.kind(paths[0]) != nil
        case .rm: return kernel.kind(paths[0]) != nil && (!isDirectory(paths[0]) || isEmpty(paths[0]))
        case .link: return kernel.kind(paths[0]) == .file && kernel.kind(paths[1]) == nil
        case .mv, .exchange:
            guard kernel.kind(paths[0]) != nil, paths[0] != paths[1], !paths[1].hasPrefix(paths[0] + "/"),
                !paths[0].hasPrefix(paths[1] + "/"), kernel.inode(paths[0]) != kernel.inode(paths[1])
            else { return false }
            if step.verb == .exchange { return kernel.kind(paths[1]) != nil }
            guard kernel.kind(paths[1]) != nil else { return true }
            return isDirectory(paths[0]) == isDirectory(paths[1]) && (!isDirectory(paths[1]) || isEmpty(paths[1]))
        default: return true
        }
    }

    func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : path.hasPrefix("outside") ? "/" + path : "/c/" + path
    }
}
