// A comparison of the state of shared items.
// SPDX-License-Identifier: Apache-2.0

import Metadata
import PredicateLanguage

/// A comparison that reads only attributes of the state of shared items (``Metadata/SyncState``). Its answer is equal for
/// items with equal states, and most items have one state, so a scan tests few.
struct SyncTest: Sendable {
    /// The comparison as it was written.
    let node: PredicateNode

    /// How the test can fail.
    var fallibility: Fallibility { node.fallibility }

    /// Whether it holds for items in this state.
    func holds(_ state: SyncState) throws(EvaluationError) -> Bool { try node.evaluate(on: Values(state: state)) }

    /// A state as values of the language.
    private struct Values: AttributeValues {
        let state: SyncState

        func value(of attribute: Attribute) -> MetadataValue { state.value(of: attribute) }
    }
}
