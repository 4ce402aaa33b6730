// The helper as a library, for gather-syncd and for tests in process.
// SPDX-License-Identifier: Apache-2.0

package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// The helper. It keeps Syncthing and gatherd in step, and serves `io.gatherd.Sharing`.
package final class SyncDaemon: Service {
    private let options: SyncOptions
    private let observer: any SyncObserver
    private let logger: Logger

    /// Makes a helper that does not run yet.
    package init(options: SyncOptions, observer: any SyncObserver = SilentSyncObserver(), logger: Logger) {
        self.options = options
        self.observer = observer
        self.logger = logger
    }

    /// Runs until SIGTERM or SIGINT. Throws `SyncStartError` if the socket cannot be used.
    package nonisolated(nonsending) func runUntilSignalled() async throws {
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(1)
        let group = ServiceGroup(configuration: configuration)
        try await withTaskExecutorPreference(SyncExecutor.shared) { try await group.run() }
    }

    /// Serves until the surrounding task is cancelled or its service group shuts down.
    package func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do { try await serve(on: group.next()) } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private func serve(on loop: any EventLoop) async throws {
        let (options, logger) = (options, logger)
        let core = SyncCore(options: options, group: loop, logger: logger)
        let server = try await loop.submit {
            NIOLoopBound(SharingServer(core: core, loop: loop), eventLoop: loop)
        }.get()
        do { try await loop.flatSubmit { server.value.listen(options.socket) }.get() } catch {
            throw SyncStartError(description: "cannot listen: \(error)")
        }
        observer.ready()
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await core.run() }
            tasks.addTask { await Self.untilShutdown() }
            await tasks.next()
            observer.stopping()
            tasks.cancelAll()
        }
        try await loop.flatSubmit { server.value.close() }.get()
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
