// Evaluating a predicate.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

extension Predicate {
    /// Whether an object, a dictionary as one JSON object makes it, matches. Missing keys are nil.
    ///
    /// AND and OR stop at the first part that decides; the parts behind it raise no errors. `now()` is the moment of
    /// evaluation; for one moment over many objects evaluate ``resolved(at:)``.
    package func evaluate(on object: MetadataValue) throws(EvaluationError) -> Bool {
        var evaluator = Evaluator(ObjectScope(object: object))
        return try evaluator.evaluate(root)
    }

    /// Whether an item matches. The predicate must be of ``Mode/metadata``, with its times resolved.
    package func evaluate(on item: some AttributeValues) throws(EvaluationError) -> Bool {
        var evaluator = Evaluator(AttributeScope(values: item))
        return try evaluator.evaluate(root)
    }
}

extension PredicateNode {
    /// Whether an item matches this part of a predicate.
    package func evaluate(on item: some AttributeValues) throws(EvaluationError) -> Bool {
        var evaluator = Evaluator(AttributeScope(values: item))
        return try evaluator.evaluate(self)
    }
}
