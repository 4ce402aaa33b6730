// The events of the kernel and of the table of mounts.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import NIOCore

/// Has the event loop poll the inotify descriptor, and a thread wait for mounts. Event loop only.
final class EventSource {
    private let kernel: LinuxKernel
    private let loop: any EventLoop
    private let ready: () -> Void
    private let hasFailed: (any Error) -> Void
    private var events: EventChannel?
    /// Nil if the table of mounts cannot be watched: mounts are noticed at the next comparison then.
    private var mounts: MountWatch?
    private var isClosed = false

    /// - Parameters:
    ///   - ready: Called when there are events to take.
    ///   - hasFailed: Called when the descriptor cannot be polled. That is tried again: the kernel keeps the events not
    ///     read.
    init(
        _ kernel: LinuxKernel, loop: any EventLoop, ready: @escaping () -> Void,
        hasFailed: @escaping (any Error) -> Void
    ) throws(SystemError) {
        (self.kernel, self.loop, self.ready, self.hasFailed) = (kernel, loop, ready, hasFailed)
        try poll()
    }

    private static let pollAgainAfter = TimeAmount.seconds(1)

    private func poll() throws(SystemError) {
        events = try EventChannel(kernel, loop: loop, ready: ready) { [weak self] in self?.pollAgain(after: $0) }
    }

    private func pollAgain(after error: any Error) {
        hasFailed(error)
        let source = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: EventSource.pollAgainAfter) {
            let source = source.value
            guard !source.isClosed else { return }
            source.events?.close()
            do {
                try source.poll()
                source.ready()
            } catch {
                source.pollAgain(after: error)
            }
        }
    }

    /// Has a thread wait for mounts and unmounts, of which no event tells, and call `wake`. Returns the error if that is impossible.
    func watchMounts(
        _ start: DaemonOptions.WatchMounts, wake: @escaping @Sendable () -> Void
    ) -> SystemError? {
        do throws(SystemError) {
            mounts = try start(wake)
            return kernel.mountChangesError
        } catch {
            return error
        }
    }

    /// Waits for the next mount.
    func armMounts() { mounts?.arm() }

    /// Whether events stay in the kernel.
    func pause(_ isPaused: Bool) { events?.isPaused = isPaused }

    func close() {
        isClosed = true
        events?.close()
        events = nil
        mounts?.stop()
        mounts = nil
    }
}
