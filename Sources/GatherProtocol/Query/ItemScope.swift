// io.gatherd.Query.Scope as it travels.
// SPDX-License-Identifier: Apache-2.0

/// Which part of its container an item lies in.
package enum ItemScope: String, OpenEnumeration {
    case documents
    case data
    /// A value that is not known here.
    case other
}
