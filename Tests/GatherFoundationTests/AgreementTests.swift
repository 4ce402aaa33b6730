// A predicate of Foundation agrees with its text in the language on every item.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherFoundation
import GatherKit
import TestSupport
import Testing

@Suite struct AgreementTests {
    @Test(arguments: 0..<SamplePredicates.all.count)
    func `The language says what Swift says`(_ number: Int) throws {
        let predicate = SamplePredicates.all[number]
        let text = try gatherPredicate(predicate)
        let language: Language
        do { language = try Language(text) } catch {
            Issue.record("\(text): \(error)")
            return
        }
        let seed = TestLength.seed(UInt64(number) + 1)
        var samples = SampleItems(seed: seed)
        var answers: Set<Bool> = []
        for _ in 0..<600 {
            let item = try samples.item()
            // Swift fails where nothing is unwrapped.
            guard let expected = try? predicate.evaluate(item) else { continue }
            answers.insert(expected)
            let found = try language.holds(of: item)
            #expect(found == expected, "seed \(seed): \(text) on \(item.values(forAttributes: item.attributes))")
            if found != expected { return }
        }
        #expect(answers == [true, false], "seed \(seed): \(text) was always \(answers)")
    }

    @Test func `True and false are themselves`() throws {
        #expect(try gatherPredicate(.true) == "TRUEPREDICATE")
        #expect(try gatherPredicate(.false) == "FALSEPREDICATE")
    }
}
