// Compiles the constants of text operators once for each predicate.
// SPDX-License-Identifier: Apache-2.0

import ContentTypes
import Metadata

/// Gives every comparison with constant text its ``TextPattern``, and every IN with a constant list its ``TextSet``.
enum PatternCompiler {
    /// Calls `types` at most once, and only if the predicate compares content types.
    static func compile(
        _ node: PredicateNode, mode: Predicate.Mode, types: () -> ContentTypeDatabase
    ) throws(PredicateError) -> PredicateNode {
        var known: ContentTypeDatabase?
        return try node.rewriting { (comparison, position) throws(PredicateError) in
            var comparison = comparison
            if comparison.operation.isOverTypes {
                let database = known ?? types()
                known = database
                comparison.types = database
                return PredicateNode(.comparison(comparison), at: position.offset)
            }
            if comparison.operation != .between, case .string(let text) = comparison.right.constant {
                do throws(EvaluationError) {
                    comparison.pattern = try TextPattern(comparison.operation, text, options: comparison.options)
                } catch {
                    // A predicate over objects reports the error when it evaluates the comparison.
                    if mode == .metadata {
                        throw PredicateError(error.message, at: comparison.right.position.offset)
                    }
                }
            }
            if comparison.operation == .in, let values = comparison.right.constantArray {
                comparison.texts = TextSet(values, options: comparison.options)
            }
            return PredicateNode(.comparison(comparison), at: position.offset)
        }
    }
}
