// One question to several machines.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import LinuxSystem
internal import Synchronization

/// The answers of several machines that were asked at the same time, in the order in which the machines were named.
struct HostAnswers<Answer: Sendable>: Sendable {
    private(set) var answers: [(host: String, answer: Answer)] = []
    var report = HostReport()

    /// Asks each machine on a thread of its own, and blocks until all have answered or failed. `failure` makes the failure of a
    /// machine from an error of its daemon.
    init(
        _ connections: [Connection], failure: @Sendable (GatherError) -> Failure = { Failure($0) },
        _ ask: @Sendable (inout BlockingClient, Int) throws -> Answer
    ) {
        let results = Mutex<[Int: Result<Answer, Failure>]>([:])
        Threads.perform(connections.count, others: connections.count - 1) { number in
            let result: Result<Answer, Failure>
            do {
                var client = try connections[number].connect()
                result = .success(try ask(&client, number))
            } catch let error as GatherError {
                result = .failure(failure(error))
            } catch let error as Failure {
                result = .failure(error)
            } catch {
                result = .failure(Failure("\(error)"))
            }
            results.withLock { $0[number] = result }
        }
        for (number, connection) in connections.enumerated() {
            switch results.withLock({ $0[number] }) {
            case .success(let answer): answers.append((connection.hostName, answer))
            case .failure(let failure): report.add(failure, of: connection.hostName)
            // `perform` returns after all were asked.
            case nil: break
            }
        }
    }

    /// Says which machines failed. Throws the exit status if one has.
    func finish(_ exactness: ExactnessOptions? = nil) throws {
        let status = report.print(requiresExact: exactness?.requireExact ?? false)
        if status != 0 { throw ExitCode(status) }
    }
}

extension Connection {
    /// The name of the other machine; empty for this one.
    var hostName: String { host?.description ?? "" }
}
