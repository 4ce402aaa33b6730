// A fault of a configuration file.
// SPDX-License-Identifier: Apache-2.0

/// A fault of an XML document, with its line.
struct XMLError: Error, Hashable {
    var message: String
    var line: Int
}
