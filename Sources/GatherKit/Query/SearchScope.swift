// The places that a query searches.
// SPDX-License-Identifier: Apache-2.0

/// A place to search. Several scopes are a union. Without a scope, a query searches every container that the caller may
/// read.
@nonexhaustive
public enum SearchScope: Sendable, Hashable {
    /// Everything in a container.
    case container(ContainerIdentifier)
    /// Everything in a container's `Documents` folder.
    case documents(ofContainer: ContainerIdentifier)
    /// Everything else in a container.
    case data(ofContainer: ContainerIdentifier)
    /// Everything below an absolute directory inside a container. It is a path, and no URI.
    case directory(FilePath)

    /// The text of the scope for the daemon.
    var wireText: String {
        switch self {
        case .container(let identifier): identifier.rawValue
        case .documents(let identifier): identifier.rawValue + "/Documents"
        case .data(let identifier): identifier.rawValue + "/Data"
        case .directory(let path):
            // A path that is not UTF-8 is a URI.
            String(validating: path.bytes, as: UTF8.self) ?? "file://"
                + path.bytes.map(SearchScope.percentEncoded).joined()
        }
    }

    /// A byte of a path in a URI of RFC 8089.
    private static func percentEncoded(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            String(Unicode.Scalar(byte))
        default: "%" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }
}
