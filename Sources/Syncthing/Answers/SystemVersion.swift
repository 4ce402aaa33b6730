// /rest/system/version of Syncthing.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The version of Syncthing.
package struct SystemVersion: Sendable, Hashable {
    package var version: String

    package init(from reader: inout JSONReader) throws(JSONError) {
        let start = reader.position
        var version: String?
        try reader.readFields { (reader) throws(JSONError) in
            if reader.keyIs("version") {
                version = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        guard let version else { throw JSONError(.missingField("version"), at: start) }
        self.version = version
    }

    /// The first two numbers of the version; nil if the text has another form.
    package var numbers: (major: Int, minor: Int)? {
        let parts = version.drop { $0 == "v" }.split(separator: ".")
        guard parts.count >= 2, let major = Int(parts[0]), let minor = Int(parts[1].prefix { $0.isNumber }) else {
            return nil
        }
        return (major, minor)
    }

    /// Whether this version can carry extended attributes (`syncXattrs`).
    package var carriesExtendedAttributes: Bool {
        guard let numbers else { return false }
        return numbers.major > 1 || numbers.major == 1 && numbers.minor >= 22
    }
}
