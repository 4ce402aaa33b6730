// Calls on mounts that may hang, and whether those mounts answer.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Metadata
import Synchronization

extension MountAgents {
    /// Makes a call, and notes whether the mount answers.
    func ask<Value>(
        _ place: Place, _ name: UnsafePointer<CChar>,
        _ call: (MountAgent, UnsafePointer<CChar>, CInt?) throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        do throws(SystemError) {
            guard let agent = place.agent else { throw .timedOut }
            let value: Value
            if let path = place.path {
                value = try call(agent, path, nil)
            } else {
                value = try call(agent, name, place.directory)
            }
            note(nil, of: place.mount)
            return value
        } catch {
            if !error.isOfMount {
                note(nil, of: place.mount)
            } else if error != .timedOut || MountAgents.isSilent(place) {
                note(error, of: place.mount)
            }
            throw error
        }
    }

    /// Whether the mount did not answer. Otherwise a call was refused only since the agent is busy or pauses.
    private static func isSilent(_ place: Place) -> Bool {
        place.agent.map { $0.isUnanswered || $0.isGone } ?? true
    }

    private func note(_ error: SystemError?, of mount: Mount, status: EntryStatus? = nil) {
        let isNews = state.withLock { state in
            if let status {
                state.reached[mount]?.status = status
                state.reached[mount]?.isLate = false
            }
            guard let reached = state.reached[mount], reached.error != error else { return false }
            state.reached[mount]?.error = error
            return true
        }
        if isNews { changed.add(1, ordering: .releasing) }
    }

    /// The status of a mount point. Where the mount does not answer, it is the last known one. If none is known, it is that of
    /// a directory with mode 0 and times 0.
    func status(ofMountPoint place: Place) throws(SystemError) -> KernelStatus {
        let late = state.withLock { state -> EntryStatus? in
            guard state.reached[place.mount]?.isLate == true else { return nil }
            state.reached[place.mount]?.isLate = false
            return state.reached[place.mount]?.status
        }
        if let late { return KernelStatus(late) }
        do throws(SystemError) {
            let status = try ask(place, "") { (agent, path, directory) throws(SystemError) in
                try agent.status(of: path, in: directory)
            }
            note(nil, of: place.mount, status: status)
            return KernelStatus(status)
        } catch {
            guard error.isOfMount || error == .inputOutput || error == .stale else { throw error }
            let known = state.withLock { $0.reached[place.mount]?.status }
            if let known, error == .timedOut, !MountAgents.isSilent(place) { return KernelStatus(known) }
            note(error, of: place.mount)
            return known.map { KernelStatus($0) } ?? KernelStatus(ofUnreachable: place.mount)
        }
    }

    /// Has the results of calls that were given up taken. From any thread.
    func answered() {
        late.store(true, ordering: .releasing)
        state.withLock { $0.wake }()
    }

    /// Takes the results of calls that were given up. Returns whether one of them is a reason to ask the mounts at once.
    ///
    /// That is the result of opening a directory, the status of a mount point, and each result after a long silence. If a
    /// server always takes too long for another call, such as `getxattr(2)`, the same call would be given up again at once.
    func takeLateAnswers() -> Bool {
        guard late.exchange(false, ordering: .acquiringAndReleasing) else { return false }
        let agents = state.withLock { $0.reached.compactMap { mount, reached in reached.agent.map { (mount, $0) } } }
        var isNews = false
        for (mount, agent) in agents {
            guard let answer = agent.takeLateAnswer() else { continue }
            if answer.isOfPath || answer.duration >= WatchLimits.mountRetry { isNews = true }
            if let error = answer.error, error.isOfMount {
                note(error, of: mount)
            } else if let status = answer.status, answer.path == mount.path.map(CChar.init(bitPattern:)) + [0] {
                note(nil, of: mount, status: status)
                state.withLock { $0.reached[mount]?.isLate = true }
            }
        }
        return isNews
    }
}

extension KernelStatus {
    /// The status of a mount point that cannot be asked. Its number stands for the inode's, so that no two are taken
    /// for one file.
    fileprivate init(ofUnreachable mount: Mount) {
        let unknown = Timestamp(seconds: 0, nanoseconds: 0)
        self.init(
            file: FileStatus(
                kind: .directory, mode: 0, size: 0, created: nil, modified: unknown, changed: unknown, owner: 0,
                group: 0,
                links: 1, inode: UInt64(mount.number), device: mount.device),
            isMountRoot: true)
    }
}
