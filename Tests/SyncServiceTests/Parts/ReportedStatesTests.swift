// States that gatherd was told, and the next report.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Testing

@testable import SyncService

@Suite struct ReportedStatesTests {
    private let base = SyncStateMessage(shared: true, uploadedTo: ["A"])
    private let other = ItemReport(state: SyncStateMessage(shared: false))
    private let waiting = ItemReport(state: SyncStateMessage(shared: true, uploadedTo: []))
    private let leaving = ItemReport(state: SyncStateMessage(shared: true, uploadedTo: ["A"]), isLeaving: true)
    private var reported = ReportedStates(session: 3)

    /// Returns the paths of a report in order: with a star if they are repeated, and with a minus if they get the base state.
    private mutating func report(
        _ states: [String: ItemReport], changed: Set<String> = [], leaving: Set<String> = []
    ) -> [String] {
        let news = reported.take(states, base: base, changed: changed, isLeaving: leaving.contains)
        let repeated = news.repeated.map { $0.path + "*" }
        return (news.items.map { $0.state == nil ? $0.path + "-" : $0.path } + repeated).sorted()
    }

    @Test mutating func eachStateIsToldOnce() {
        #expect(report(["a": other, "b": waiting]) == ["a", "b"])
        #expect(report(["a": other, "b": waiting]) == [])
        #expect(report(["a": waiting, "c": other]) == ["a", "b-", "c"])
        #expect(report([:]) == ["a-", "c-"])
        #expect(report([:]) == [])
    }

    @Test mutating func theBaseStateIsToldWhenItChanges() {
        let first = reported.take([:], base: base, changed: [], isLeaving: { _ in false })
        #expect(first.base == base && !first.isEmpty)
        let second = reported.take([:], base: base, changed: [], isLeaving: { _ in false })
        #expect(second.base == nil && second.isEmpty)
        let third = reported.take([:], base: SyncStateMessage(shared: false), changed: [], isLeaving: { _ in false })
        #expect(third.base == SyncStateMessage(shared: false) && third.items.isEmpty && !third.isEmpty)
    }

    /// gatherd sets them to the base state with the clock.
    @Test mutating func statesOfChangedItemsAreRepeated() {
        #expect(report(["a": other, "b": other]) == ["a", "b"])
        #expect(report(["a": other, "b": other], changed: ["a", "c"]) == ["a*"])
        #expect(report(["b": other], changed: ["a"]) == ["a-"])
    }

    @Test mutating func nothingIsToldOfAFileThatIsLeaving() {
        reported.note(leaving, of: "a")
        #expect(report(["a": other], leaving: ["a"]) == [])
        #expect(report([:], leaving: ["a"]) == [])
        #expect(report(["a": other]) == ["a"], "its eviction has ended")
        reported.note(leaving, of: "a")
        #expect(report([:]) == ["a-"])
    }

    @Test mutating func aChangeOfAFileThatIsLeavingIsRepeated() {
        reported.note(leaving, of: "a")
        #expect(report(["a": other], changed: ["a"], leaving: ["a"]) == ["a*"])
        #expect(report(["a": other]) == [], "its state was told")
    }

    @Test mutating func aReportTellsNothingOfAFileWhoseEvictionHasBegunSince() {
        let (item, own) = (other.message("a"), leaving.message("a"))
        #expect(reported.mayReport(item, isLeaving: { _ in true }))
        reported.note(leaving, of: "a")
        #expect(
            !reported.mayReport(item, isLeaving: { _ in true }) && reported.mayReport(item, isLeaving: { _ in false }))
        #expect(
            reported.mayReport(own, isLeaving: { _ in true }) && reported.mayReport(other.message("b")) { _ in true })
    }

    @Test mutating func differencesAreToldAgain() {
        _ = report(["right": other, "wrong": other, "lost": other, "no item": other])
        reported.note(leaving, of: "leaving")
        let told = ["right": other, "wrong": waiting, "strange": other, "leaving": other]
        let differences = reported.differences(from: told, base: base) { path, _ in path != "no item" }
        #expect(differences.base == nil && reported.session == 3)
        #expect(
            Dictionary(uniqueKeysWithValues: differences.items.map { ($0.path, $0.state) })
                == ["wrong": other.state, "lost": other.state, "strange": nil])
        let otherBase = reported.differences(from: told, base: SyncStateMessage(shared: false)) { _, _ in false }
        #expect(otherBase.base == base && otherBase.items.map(\.path) == ["strange"])
    }
}
