// One question to several machines.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import LinuxSystem
internal import Synchronization

/// The answers of several machines that were asked at the same time.
struct HostAnswers<Answer: Sendable>: Sendable {
    typealias Named = (host: String, answer: Answer)

    private(set) var answers: [Named] = []
    var report = HostReport()

    /// The results so far, by the number of the machine.
    private final class Results: Sendable {
        let known = Mutex<[Int: Result<Answer, Failure>]>([:])
    }

    /// Asks each machine on a thread of its own, and returns when all have answered or failed. Prints the answers in the order in
    /// which the machines were named. A machine that is late delays only its own answer: ``HostOrder/patience`` after the first
    /// answer the others are printed, and then each as it arrives.
    ///
    /// - Parameters:
    ///   - failure: Makes the failure of a machine from an error of its daemon.
    ///   - ask: Asks one machine, by its number.
    ///   - print: Prints some answers. It is called on this thread.
    init(
        _ connections: [Connection], failure: @escaping @Sendable (GatherError) -> Failure = { Failure($0) },
        ask: @escaping @Sendable (inout BlockingClient, Int) throws -> Answer, print: ([Named]) -> Void
    ) {
        let results = Results()
        let bell = HostOrder.Bell()
        let askAll: @Sendable () -> Void = {
            Threads.perform(connections.count, others: connections.count - 1) { number in
                let result = HostAnswers.result(connections[number], failure) { client in try ask(&client, number) }
                results.known.withLock { $0[number] = result }
                bell.ring()
            }
        }
        var printed: Set<Int> = []
        func printNew(_ known: [Int: Result<Answer, Failure>]) -> [Named] {
            var new: [Named] = []
            for (number, connection) in connections.enumerated() where !printed.contains(number) {
                guard case .success(let answer) = known[number] else { continue }
                printed.insert(number)
                new.append((connection.hostName, answer))
            }
            if !new.isEmpty { print(new) }
            return new
        }
        // Without a thread, all answers are printed at the end.
        let thread = try? Threads.start(askAll)
        if thread == nil { askAll() }
        var order = HostOrder()
        while true {
            let known = results.known.withLock { $0 }
            guard known.count < connections.count else { break }
            let hasAnswer = known.values.contains { if case .success = $0 { true } else { false } }
            if order.updateWait(hasAnswer: hasAnswer) { answers += printNew(known) }
            bell.wait(order.rest)
        }
        thread?.join()
        let known = results.known.withLock { $0 }
        answers += printNew(known)
        for (number, connection) in connections.enumerated() {
            if case .failure(let failure) = known[number] { report.add(failure, of: connection.hostName) }
        }
    }

    private static func result(
        _ connection: Connection, _ failure: (GatherError) -> Failure, _ ask: (inout BlockingClient) throws -> Answer
    ) -> Result<Answer, Failure> {
        do {
            var client = try connection.connect()
            return .success(try ask(&client))
        } catch let error as GatherError {
            return .failure(failure(error))
        } catch let error as Failure {
            return .failure(error)
        } catch {
            return .failure(Failure("\(error)"))
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
