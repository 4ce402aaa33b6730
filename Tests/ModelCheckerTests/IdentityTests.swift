// The checks of identities must be able to fail: each thing that they look for is shown to them.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import IdentityModel
import Testing

@Suite struct IdentityTests {
    private let roots = [Root(path: Bytes("/box"), container: "box"), Root(path: Bytes("/out"), container: nil)]

    private func place(_ path: String, outside: Bool = false) -> Place {
        Place(root: outside ? 1 : 0, names: path.split(separator: "/").map { Bytes(Array($0.utf8)) })
    }

    /// A model with the files /box/a, /box/b and /box/d/e, and a ledger that has seen them as 1, 2, 3 and 4.
    private func begin() -> (Model, IdentityLedger) {
        let model = Model(roots, area: 0)
        for name in ["a", "b"] { model.created(place(name), isDirectory: false) }
        model.created(place("d"), isDirectory: true)
        model.created(place("d/e"), isDirectory: false)
        var ledger = IdentityLedger()
        let seen = ["/box/a": "1", "/box/b": "2", "/box/d": "3", "/box/d/e": "4"]
        #expect(violations(&ledger, seen, model).isEmpty)
        model.beginWindow()
        return (model, ledger)
    }

    private func violations(
        _ ledger: inout IdentityLedger, _ seen: [String: String], _ model: Model, lossy: Bool = false
    ) -> [String] {
        let seen = Dictionary(uniqueKeysWithValues: seen.map { (Bytes($0.key), $0.value) })
        return ledger.check(
            seen, model.observations(lossy: lossy) { _ in true }, hidden: model.hidden, ends: model.endsAreSure)
    }

    @Test func `A rename keeps the identity, of what lies below too`() {
        var (model, ledger) = begin()
        model.renamed(place("a"), place("c"))
        model.renamed(place("d"), place("f"))
        let right = ["/box/c": "1", "/box/b": "2", "/box/f": "3", "/box/f/e": "4"]
        var copy = ledger
        #expect(violations(&copy, right, model).isEmpty)
        copy = ledger
        #expect(violations(&copy, right.merging(["/box/c": "5"]) { $1 }, model).count == 1)
        #expect(violations(&ledger, right.merging(["/box/f/e": "5"]) { $1 }, model).count == 1)
    }

    @Test func `A rename over another takes over its identity`() {
        var (model, ledger) = begin()
        model.renamed(place("a"), place("b"))
        var copy = ledger
        #expect(violations(&copy, ["/box/b": "2", "/box/d": "3", "/box/d/e": "4"], model).isEmpty)
        #expect(violations(&ledger, ["/box/b": "1", "/box/d": "3", "/box/d/e": "4"], model).count == 1)
    }

    @Test func `An exchange is two moves, also where one of them is then moved on`() {
        var (model, ledger) = begin()
        model.exchanged(place("a"), place("b"))
        var copy = ledger
        #expect(violations(&copy, ["/box/b": "1", "/box/a": "2", "/box/d": "3", "/box/d/e": "4"], model).isEmpty)
        copy = ledger
        #expect(violations(&copy, ["/box/b": "2", "/box/a": "1", "/box/d": "3", "/box/d/e": "4"], model).count == 2)
        model.removed(place("b"))
        #expect(violations(&ledger, ["/box/a": "1", "/box/d": "3", "/box/d/e": "4"], model).isEmpty)
    }

    /// `mv a d/e; mv d/e a; mv c a` and the removal of d queue the same.
    @Test func `An exchange with what goes in its directory leaves open what the other is`() {
        for isRemoved in [true, false] {
            var (model, ledger) = begin()
            model.exchanged(place("a"), place("d/e"))
            var copy = ledger
            let exchanged = ["/box/b": "2", "/box/a": "4", "/box/d": "3", "/box/d/e": "1"]
            #expect(violations(&copy, exchanged, model).isEmpty)
            #expect(!violations(&copy, exchanged.merging(["/box/a": "5"]) { $1 }, model).isEmpty)
            isRemoved ? model.removed(place("d")) : model.renamed(place("d"), place("d", outside: true))
            model.created(place("c"), isDirectory: false)
            model.renamed(place("c"), place("a"))
            copy = ledger
            #expect(violations(&copy, ["/box/a": "4", "/box/b": "2"], model).isEmpty)
            #expect(violations(&ledger, ["/box/a": "5", "/box/b": "2"], model).isEmpty)
        }
    }

    @Test func `A new entry has an identifier that no other had`() {
        var (model, ledger) = begin()
        model.removed(place("a"))
        let rest = ["/box/b": "2", "/box/d": "3", "/box/d/e": "4"]
        #expect(violations(&ledger, rest, model).isEmpty)
        model.beginWindow()
        model.created(place("n"), isDirectory: false)
        var copy = ledger
        #expect(violations(&copy, rest.merging(["/box/n": "5"]) { $1 }, model).isEmpty)
        copy = ledger
        #expect(violations(&copy, rest.merging(["/box/n": "1"]) { $1 }, model).count == 1, "given twice")
        copy = ledger
        #expect(!violations(&copy, rest.merging(["/box/n": "2"]) { $1 }, model).isEmpty, "another's")
        ledger.forgetAll()
        #expect(violations(&ledger, rest, model).count >= 3, "all had ended")
    }

    @Test func `An entry that left the container and came back is another`() {
        var (model, ledger) = begin()
        model.renamed(place("d"), place("d", outside: true))
        #expect(violations(&ledger, ["/box/a": "1", "/box/b": "2"], model).isEmpty)
        model.beginWindow()
        model.renamed(place("d", outside: true), place("d"))
        let back = ["/box/a": "1", "/box/b": "2", "/box/d": "7", "/box/d/e": "8"]
        var copy = ledger
        #expect(violations(&copy, back, model).isEmpty)
        #expect(violations(&ledger, back.merging(["/box/d": "3"]) { $1 }, model).count == 1)
    }

    /// The other is there, outside, from before.
    @Test func `One name of a file that left and another that came may be one that stayed`() {
        var (model, ledger) = begin()
        model.created(place("x", outside: true), isDirectory: false)
        model.beginWindow()
        model.renamed(place("a"), place("y", outside: true))
        model.renamed(place("x", outside: true), place("n"))
        let seen = ["/box/n": "1", "/box/b": "2", "/box/d": "3", "/box/d/e": "4"].map { (Bytes($0), $1) }
        func violations(_ ledger: inout IdentityLedger, hasOneLink: Bool) -> [String] {
            ledger.check(
                Dictionary(uniqueKeysWithValues: seen), model.observations(lossy: false) { _ in hasOneLink })
        }
        var copy = ledger
        #expect(violations(&copy, hasOneLink: true).count == 1)
        #expect(violations(&ledger, hasOneLink: false).isEmpty)
    }

    @Test func `An entry in a closed directory is away, and the same when it is open again`() {
        var (model, ledger) = begin()
        let rest = ["/box/a": "1", "/box/b": "2", "/box/d": "3"]
        model.setInaccessible(place("d"), true)
        #expect(violations(&ledger, rest, model).isEmpty)
        model.beginWindow()
        // Somebody else has its identifier meanwhile.
        model.created(place("n"), isDirectory: false)
        var copy = ledger
        #expect(violations(&copy, rest.merging(["/box/n": "4"]) { $1 }, model).count == 1)
        #expect(violations(&ledger, rest.merging(["/box/n": "5"]) { $1 }, model).isEmpty)
        model.beginWindow()
        // It moves out of sight.
        model.willRename(place("d/e"), place("d/f"))
        model.renamed(place("d/e"), place("d/f"))
        #expect(violations(&ledger, rest.merging(["/box/n": "5"]) { $1 }, model).isEmpty)
        model.beginWindow()
        model.setInaccessible(place("d"), false)
        let open = rest.merging(["/box/n": "5", "/box/d/f": "4"]) { $1 }
        copy = ledger
        #expect(violations(&copy, open, model).isEmpty)
        #expect(violations(&ledger, open.merging(["/box/d/f": "6"]) { $1 }, model).count == 1)
    }

    @Test func `An entry that goes into a closed directory is the same, if the directory was watched`() {
        for isWatched in [true, false] {
            let (model, start) = begin()
            // A directory below an inaccessible one was never seen open.
            model.node(place("d"))?.isWatched = isWatched
            model.restarted(keepsWatches: true)
            goesIntoInaccessible(model, start, isWatched: isWatched)
        }
        // A daemon that was started anew may have found it closed.
        let (model, start) = begin()
        model.node(place("d"))?.isWatched = true
        model.restarted(keepsWatches: false)
        goesIntoInaccessible(model, start, isWatched: false)
    }

    private func goesIntoInaccessible(_ model: Model, _ start: IdentityLedger, isWatched: Bool) {
        var ledger = start
        let rest = ["/box/b": "2", "/box/d": "3"]
        model.setInaccessible(place("d"), true)
        #expect(violations(&ledger, rest.merging(["/box/a": "1"]) { $1 }, model).isEmpty)
        model.beginWindow()
        model.willRename(place("a"), place("d/a"))
        model.renamed(place("a"), place("d/a"))
        #expect(violations(&ledger, rest, model).isEmpty)
        model.beginWindow()
        model.setInaccessible(place("d"), false)
        for id in ["1", "7"] {
            var copy = ledger
            let found = violations(&copy, rest.merging(["/box/d/e": "4", "/box/d/a": id]) { $1 }, model)
            #expect(found.isEmpty == (id == "1" || !isWatched))
        }
        #expect(violations(&ledger, rest.merging(["/box/d/e": "8", "/box/d/a": "1"]) { $1 }, model).count == 1)
        // From then on it is known.
        model.beginWindow()
        let known = ["/box/b": "2", "/box/d": "3", "/box/d/e": "8"]
        #expect(violations(&ledger, known.merging(["/box/d/a": "9"]) { $1 }, model).count == 1)
    }

    @Test func `An entry from a closed directory is unseen until it is looked at, and no other is`() {
        let (model, _) = begin()
        model.created(place("d/n"), isDirectory: true)
        model.created(place("d/n/f"), isDirectory: false)
        model.setInaccessible(place("d"), true)
        model.beginWindow()
        // Its former place is hidden, and entries in sight all the time were seen.
        #expect(model.isHidden(place("d/n/f")) && !model.isUnseen(place("d/n/f")))
        model.willRename(place("d/n"), place("n"))
        model.renamed(place("d/n"), place("n"))
        #expect(model.isUnseen(place("n/f")) && !model.isUnseen(place("a")))
        model.willRename(place("n/f"), place("f"))
        model.renamed(place("n/f"), place("f"))
        #expect(model.isUnseen(place("f")))
        model.wasLookedAt()
        #expect(!model.isUnseen(place("f")))
        model.setInaccessible(place("d"), false)
        #expect(model.isUnseen(place("d/e")) && !model.isUnseen(place("f")))
        model.beginWindow()
        #expect(!model.isUnseen(place("d/e")))
    }

    @Test func `Where events were lost, untouched entries and plain moves are sure, the rest is open`() {
        var (model, ledger) = begin()
        model.renamed(place("a"), place("c"))
        model.renamed(place("b"), place("a"))
        let sure = ["/box/c": "1", "/box/a": "2", "/box/d": "3", "/box/d/e": "4"]
        var copy = ledger
        #expect(violations(&copy, sure, model, lossy: true).isEmpty)
        copy = ledger
        #expect(violations(&copy, sure.merging(["/box/c": "9", "/box/a": "1"]) { $1 }, model, lossy: true).isEmpty)
        copy = ledger
        #expect(violations(&copy, sure.merging(["/box/d/e": "9"]) { $1 }, model, lossy: true).count == 1)
        #expect(violations(&ledger, sure.merging(["/box/c": "9", "/box/a": "1"]) { $1 }, model).count == 2)
    }

    @Test func `An entry that replaced another and then moved is open where events were lost, and only there`() {
        var (model, ledger) = begin()
        model.renamed(place("a"), place("c"))
        model.renamed(place("b"), place("c"))
        model.renamed(place("c"), place("f"))
        // As if a had been removed, and b had moved to f.
        let other = ["/box/f": "2", "/box/d": "3", "/box/d/e": "4"]
        var copy = ledger
        #expect(violations(&copy, other, model, lossy: true).isEmpty)
        copy = ledger
        #expect(violations(&copy, other, model).count == 1)
        copy = ledger
        #expect(violations(&copy, other.merging(["/box/f": "1"]) { $1 }, model).isEmpty)
        // The next time nothing is open.
        #expect(violations(&ledger, other, model, lossy: true).isEmpty)
        model.beginWindow()
        model.renamed(place("f"), place("g"))
        let next = ["/box/d": "3", "/box/d/e": "4"]
        #expect(violations(&ledger, next.merging(["/box/g": "9"]) { $1 }, model, lossy: true).count == 1)
    }
}
