// Extended attributes for tests.
// SPDX-License-Identifier: Apache-2.0

import Metadata

extension ExtraAttributes {
    /// Those of a file with tags.
    init(tags: String) { self.init([(Array("xdg.tags".utf8), Array(tags.utf8))]) }
}
