// gather find on several machines.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit
internal import Glibc

/// `gather find` on several machines, which are asked at the same time. Without an order, items are printed as they arrive. With
/// one, the sorted answers are merged as they arrive. A machine whose items are not needed yet waits.
struct HostFind: Sendable {
    let connections: [Connection]
    /// The question to each machine.
    let searches: [Search]
    let printer: HostPrinter
    /// Whether no match is a failure.
    let isQuiet: Bool
    let requiresExact: Bool
    let failure: @Sendable (GatherError) -> Failure

    /// Returns the question to each machine. Throws if a place cannot be one of another machine.
    static func searches(_ search: Search, _ connections: [Connection], _ places: ScopeOptions) throws -> [Search] {
        try places.checkForSeveral()
        return try connections.map { connection in
            var search = search
            search.scopes = try places.scopes(connection)
            return search
        }
    }

    /// The end of one machine's answer.
    private struct Ending: Sendable {
        var inexact: [ContainerIdentifier] = []
        var failure: Failure?
        /// Whether the limit of all answers together was reached.
        var isEnough = false
    }

    /// Asks and prints, and ends the process.
    func follow() async {
        let endings = searches[0].sort.isEmpty ? await unordered() : await merged()
        printer.finish()
        var report = HostReport()
        for (connection, ending) in zip(connections, endings) {
            if let failure = ending.failure { report.add(failure, of: connection.hostName) }
            report.add(inexact: ending.inexact, of: connection.hostName)
        }
        let status = report.print(requiresExact: requiresExact)
        Glibc.exit(status == 0 && isQuiet && printer.count == 0 ? ExitStatus.failure : status)
    }

    // MARK: Without an order

    private func unordered() async -> [Ending] {
        await withTaskGroup(of: (Int, Ending).self) { group in
            for number in connections.indices { group.addTask { (number, await print(number)) } }
            var endings = [Ending](repeating: Ending(), count: connections.count)
            for await (number, ending) in group {
                endings[number] = ending
                // The rest of the answers is not wanted, however late it comes.
                if ending.isEnough {
                    group.cancelAll()
                    break
                }
            }
            return endings
        }
    }

    /// Prints the items of one machine as they arrive.
    private func print(_ number: Int) async -> Ending {
        var ending = Ending()
        do throws(GatherError) {
            let client = GatherClient(socket: connections[number].daemon)
            var batches = try await client.batches(searches[number]).makeAsyncIterator()
            while let batch = try await batches.next() {
                ending.inexact = batch.inexactContainers
                ending.isEnough = !printer.print(batch.items, of: connections[number].hostName)
                printer.flush()
                if ending.isEnough { break }
            }
        } catch {
            ending.failure = failure(error)
        }
        return ending
    }

    // MARK: With an order

    /// One machine's answer, at its next item.
    private struct Source {
        var batches: SearchBatches.AsyncIterator?
        var items: ArraySlice<MetadataItem> = []
        /// The sort key of the next item.
        var key: [UInt8] = []
        var ending = Ending()
    }

    private func merged() async -> [Ending] {
        let keys = searches[0].sort
        var sources: [Source] = []
        for number in connections.indices {
            var source = Source()
            do throws(GatherError) {
                let client = GatherClient(socket: connections[number].daemon)
                source.batches = try await client.batches(searches[number]).makeAsyncIterator()
            } catch {
                source.ending.failure = failure(error)
            }
            sources.append(source)
        }
        /// The numbers of the machines that have an item, the one with the first item last.
        var order: [Int] = []
        func place(_ number: Int) {
            let key = sources[number].key
            // The machine that was named first comes first among equals.
            let index = order.firstIndex { other in
                sources[other].key == key ? other < number : sources[other].key.lexicographicallyPrecedes(key)
            }
            order.insert(number, at: index ?? order.endIndex)
        }
        for number in sources.indices {
            await fill(&sources[number], keys)
            if !sources[number].items.isEmpty { place(number) }
        }
        while let number = order.popLast() {
            guard printer.print(sources[number].items.prefix(1), of: connections[number].hostName) else { break }
            sources[number].items.removeFirst()
            // The known lines are written before a wait.
            if sources[number].items.isEmpty { printer.flush() }
            await fill(&sources[number], keys)
            if !sources[number].items.isEmpty { place(number) }
        }
        return sources.map(\.ending)
    }

    /// Reads on if there is no item left, and computes the key of the next one.
    private func fill(_ source: inout Source, _ keys: [SortKey]) async {
        while source.items.isEmpty, source.batches != nil {
            do throws(GatherError) {
                guard let batch = try await source.batches?.next() else {
                    source.batches = nil
                    break
                }
                source.ending.inexact = batch.inexactContainers
                source.items = batch.items[...]
            } catch {
                source.batches = nil
                source.ending.failure = failure(error)
            }
        }
        if let item = source.items.first { source.key = item.sortKey(keys) }
    }
}
