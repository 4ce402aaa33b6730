// Runs a command for the changes of a live query.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc

/// Runs the command of `--exec` or `--exec-batch` for the changes of a live query, one after the other in their order.
/// While a command runs, the query merges further changes, one for each item, so that memory is bounded.
struct ChangeRunner {
    /// How an item changed: the value of `GATHER_CHANGE`.
    enum Kind: String {
        case result, added, changed, removed
    }

    private let template: CommandTemplate
    private let isBatch: Bool
    private let tellsResults: Bool
    private let tellsRemovals: Bool
    private var guardian = RepetitionGuard()
    private let start = ContinuousClock.now
    /// Whether progress notifications have the difference since a clock.
    private var isResumed = false
    /// The status of the last command that failed; 0 if none did.
    private(set) var status: Int32 = 0

    /// `tellsResults` says whether the command runs for the first results too, and `tellsRemovals` whether it runs for items that
    /// are gone.
    init(_ template: CommandTemplate, isBatch: Bool, tellsResults: Bool, tellsRemovals: Bool) {
        self.template = template
        self.isBatch = isBatch
        self.tellsResults = tellsResults
        self.tellsRemovals = tellsRemovals
    }

    mutating func run(_ notification: QueryNotification) async throws {
        switch notification {
        case .started(let resumed): isResumed = resumed
        case .progress(let changes):
            if isResumed {
                try await take(changes)
            } else if tellsResults {
                try await take(.result, changes.added.map { Item(path: $0.pathBytes ?? []) })
            }
        case .updated(let changes):
            let hasCommand =
                !changes.changed.isEmpty || !changes.added.isEmpty || (tellsRemovals && !changes.removed.isEmpty)
            guard hasCommand else { return }
            try await rest()
            try await take(changes)
        case .gathered, .reconnecting, .reconnected: break
        }
        guardian.noteEnd(now: ContinuousClock.now - start)
    }

    /// Waits a while if the command seems to make its own changes.
    private mutating func rest() async throws {
        let pause = guardian.pause(now: ContinuousClock.now - start)
        guard pause > .zero else { return }
        if guardian.isFirstPause {
            Output.note(
                "items changed as soon as their command had ended, \(RepetitionGuard.freeRounds) times in a row. From now on it has "
                    + "a pause of a second. If the command changes them, exclude that from the predicate")
        }
        try await Task.sleep(for: pause)
    }

    private struct Item {
        var path: [UInt8]
        /// The path before a move.
        var previous: [UInt8]?
    }

    /// Removals come first: if a name goes from one item to another, its last command is for the new item.
    private mutating func take(_ changes: QueryChanges) async throws {
        if tellsRemovals { try await take(.removed, changes.removed.map { Item(path: $0.pathBytes) }) }
        try await take(
            .changed,
            changes.changed.map { Item(path: $0.pathBytes ?? [], previous: $0.previousPathBytes) })
        try await take(.added, changes.added.map { Item(path: $0.pathBytes ?? []) })
    }

    private mutating func take(_ kind: Kind, _ items: [Item]) async throws {
        let change = (name: "GATHER_CHANGE", value: Array(kind.rawValue.utf8))
        if isBatch {
            for paths in CommandTemplate.batches(items.map(\.path)) {
                let subject = paths.count == 1 ? DisplayText.escaped(paths[0]) : "\(paths.count) paths"
                try await carryOut(template.arguments(for: paths), [change], subject)
            }
        } else {
            for item in items {
                var variables = [change, (name: "GATHER_PATH", value: item.path)]
                if let previous = item.previous { variables.append((name: "GATHER_PREVIOUS_PATH", value: previous)) }
                try await carryOut(
                    template.arguments(for: item.path), variables, DisplayText.escaped(item.path))
            }
        }
    }

    private mutating func carryOut(
        _ arguments: [[UInt8]], _ variables: [(name: String, value: [UInt8])], _ subject: String
    ) async throws {
        let status: Int32
        do throws(ChildCommand.StartError) {
            status = try await ChildCommand.run(arguments, variables: variables)
        } catch {
            guard error.isOfThisRun else { throw error.failure }
            self.status = ExitStatus.notExecutable
            Output.note("\(error.message), for \(subject)")
            return
        }
        guard status != 0 else { return }
        self.status = status
        Output.note("\(DisplayText.escaped(arguments[0])) ended with status \(status) for \(subject)")
    }
}
