// Samples of a daemon's metrics.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import LinuxSystem

/// Asks for samples. On this machine each has a connection of its own, so that the daemon may restart in between. The connection
/// to another machine, which is a login, is kept until it fails.
struct TopSampler: ~Copyable {
    /// The number of live queries that are listed.
    private static let liveQueries = 200

    private let connection: Connection
    private var kept: BlockingClient?

    init(_ connection: Connection) { self.connection = connection }

    /// Returns the next sample. Blocks until the daemon has answered.
    mutating func sample() -> Result<TopSample, GatherError> {
        do throws(GatherError) {
            // An optional value is no argument of `??` here, since that throws any error.
            var client: BlockingClient
            if let former = kept.take() { client = former } else { client = try connection.connect() }
            let sample = try TopSampler.sample(&client)
            if connection.host != nil { kept = consume client }
            return .success(sample)
        } catch {
            return .failure(error)
        }
    }

    static func sample(_ client: inout BlockingClient) throws(GatherError) -> TopSample {
        TopSample(try client.metrics(liveQueries: liveQueries), time: MonotonicClock.now())
    }
}
