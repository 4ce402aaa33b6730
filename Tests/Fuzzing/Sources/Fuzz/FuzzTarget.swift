// The targets that bytes are fed to: by libFuzzer, and those of the corpus by CorpusTests.
// SPDX-License-Identifier: Apache-2.0

/// A test that is fed with bytes. It ends the program if a property does not hold.
protocol FuzzTarget: SendableMetatype {
    static func test(_ bytes: UnsafeRawBufferPointer)
}

/// The targets by the names of their folders in the corpus.
let fuzzTargets: [String: any FuzzTarget.Type] = [
    "predicate": PredicateTarget.self, "json": JSONTarget.self, "framing": FramingTarget.self,
    "state": StateTarget.self, "kept": HandoverTarget.self,
]

/// Ends the program unless a property holds; libFuzzer then keeps the bytes that were fed.
func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
