// The daemon as a library: what gatherd runs, and what tests run in process.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// The daemon: one event loop with everything on it. ``run()`` serves until it is told to stop.
package final class GatherDaemon: Service {
    private let options: DaemonOptions
    private let observer: any DaemonObserver
    private let logger: Logger

    /// A daemon that is not running yet.
    package init(options: DaemonOptions, observer: any DaemonObserver = SilentObserver(), logger: Logger) {
        self.options = options
        self.observer = observer
        self.logger = logger
    }

    /// Runs until SIGTERM or SIGINT, and reads the configuration again at SIGHUP. On threads of its own: called from the main
    /// actor, it has nothing of libdispatch wake while nothing happens (see ``LifecycleExecutor``).
    package nonisolated(nonsending) func runUntilSignalled() async throws {
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(1)
        let group = ServiceGroup(configuration: configuration)
        try await withTaskExecutorPreference(LifecycleExecutor.shared) { try await group.run() }
    }

    /// Serves until the surrounding task is cancelled or its service group shuts down.
    ///
    /// - Throws: `ConfigurationError` for a configuration, state directory or socket that cannot be used.
    package func run() async throws {
        // Before anything can be told that the daemon is there: SIGHUP would end a process that does not catch it.
        let reloads = await UnixSignalsSequence(trapping: .sighup)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            try await serve(on: group.next(), reloads)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private func serve(on loop: any EventLoop, _ reloads: UnixSignalsSequence) async throws {
        let (options, observer, logger) = (options, observer, logger)
        let core = try await loop.submit {
            // Whoever hears of changes waits for this thread, however busy the machine is.
            Threads.comeSoon()
            return NIOLoopBound(
                try DaemonCore(options: options, observer: observer, logger: logger, loop: loop), eventLoop: loop)
        }.get()
        do {
            try await loop.flatSubmit { core.value.listen() }.get()
        } catch {
            try? await loop.flatSubmit { core.value.close() }.get()
            throw error
        }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                for await _ in reloads { loop.execute { core.value.reloadAtSignal() } }
            }
            tasks.addTask { await Self.untilShutdown() }
            await tasks.next()
            tasks.cancelAll()
        }
        try await loop.flatSubmit { core.value.close() }.get()
    }

    private static func untilShutdown() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        await withTaskCancellationOrGracefulShutdownHandler {
            for await _ in stream {}
        } onCancelOrGracefulShutdown: {
            continuation.finish()
        }
    }
}
