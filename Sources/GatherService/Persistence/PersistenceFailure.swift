// The latest failure to save the state.
// SPDX-License-Identifier: Apache-2.0

import Metadata

/// The latest error of saving the state, and the time of the first error since the last success.
struct PersistenceFailure: Equatable {
    /// The path that could not be written, and the text of the errno.
    var error: String
    let since: Timestamp
}
