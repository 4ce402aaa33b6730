// The daemon as a library, for gatherd and for tests in process.
// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// The daemon, on one event loop. ``run()`` serves until the daemon is told to stop.
package final class GatherDaemon: Service {
    private let options: DaemonOptions
    private let observer: any DaemonObserver
    private let logger: Logger

    /// The arguments of this process without its name, even if a preloaded library has moved the environment.
    package static var arguments: [String] { Array(ProcessArguments.texts.dropFirst()) }

    /// Makes a daemon that does not run yet.
    package init(options: DaemonOptions, observer: any DaemonObserver = SilentObserver(), logger: Logger) {
        self.options = options
        self.observer = observer
        self.logger = logger
    }

    /// Runs until SIGTERM or SIGINT, and reloads at SIGHUP. If called from the main actor, libdispatch causes no
    /// wake-ups, since tasks run on a thread of their own (``LifecycleExecutor``).
    package nonisolated(nonsending) func runUntilSignalled() async throws {
        // Before a thread or an event loop opens a descriptor.
        _ = try OpenFiles.raiseLimitToEnough()
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(1)
        let group = ServiceGroup(configuration: configuration)
        try await withTaskExecutorPreference(LifecycleExecutor.shared) { try await group.run() }
    }

    /// Serves until the surrounding task is cancelled or its service group shuts down.
    ///
    /// - Throws: `ConfigurationError` for an unusable configuration, state directory or socket, and `StartError` if the
    ///   machine lacks a resource.
    package func run() async throws {
        // Before the daemon is announced: SIGHUP ends a process that does not catch it.
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
            // All subscribers wait for this thread, so it is scheduled soon on a busy machine.
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
