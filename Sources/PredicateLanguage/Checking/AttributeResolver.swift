// Placeholder until the checker is in.
// SPDX-License-Identifier: Apache-2.0

import Metadata

struct AttributeResolver {
    func resolve(_ node: PredicateNode) throws(PredicateError) -> PredicateNode { node }
}
