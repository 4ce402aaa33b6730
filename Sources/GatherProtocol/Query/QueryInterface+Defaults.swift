// The defaults of absent parameters.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

extension QueryInterface {
    /// The default of `attributes`.
    package static let defaultAttributes: [Attribute] = [.name, .path, .kind, .size, .modified]
}

extension ItemKind {
    /// The kind in the vocabulary's terms, nil for one that is not known here.
    package var fileKind: FileKind? { FileKind(name: rawValue) }
}
