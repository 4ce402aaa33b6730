// The errors of a scenario that is not one.
// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct ScenarioScriptTests {
    @Test func steps() throws {
        let script = try ScenarioScript(
            "# a title\ncreate a   4\nstart # now\n\nexpect move a -> b,  update d\n", name: "x")
        #expect(script.steps.map(\.line) == [2, 3, 5])
        #expect(script.steps.map(\.verb) == [.create, .start, .expect])
        #expect(script.steps.map(\.words) == [["a", "4"], [], ["move a -> b", "update d"]])
    }

    @Test(arguments: [
        ("start\nfly a", "x:2: 'fly' is no step; the steps are "),
        ("mv a\nstart", "x:1: 'mv' takes 2 words, not 1"),
        ("create\nstart", "x:1: 'create' takes 1 to 2 words, not 0"),
        ("create a b\nstart", "x:1: 'b' is not a number"),
        ("start\nread -1", "x:2: '-1' is not a number"),
        ("start\nsettle later", "x:2: 'settle' takes 'now' or nothing, not 'later'"),
        ("start\nexpect made a", "x:2: 'made' is nothing that a tree is told; that is crawl, exchange"),
        ("start\nexpect move a b", "x:2: 'move a b' has 2 words after 'move', not 3"),
        ("create a//b\nstart", "x:1: 'a//b' is no path"),
        ("create a", "x:1: nothing starts the watcher: 'start' is missing"),
        ("expect\nstart", "x:1: 'expect' stands before 'start'"),
    ]) func mistakes(text: String, message: String) {
        let mistake = #expect(throws: ScenarioScript.Mistake.self) { try ScenarioScript(text, name: "x") }
        #expect(mistake?.description.hasPrefix(message) == true, "\(mistake?.description ?? "")")
    }
}
