// The messages of io.gatherd.Container.Add.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension ContainerInterface {
    /// Watches another directory from now on.
    package enum Add: VarlinkMethod {
        package static let name = "io.gatherd.Container.Add"

        /// What is asked.
        package struct Request: JSONMessage, Hashable {
            package var identifier: String
            package var path: String
            package var packages: [String]?
            package var ignore: [String]?

            /// The message from its fields.
            package init(identifier: String, path: String, packages: [String]? = nil, ignore: [String]? = nil) {
                self.identifier = identifier
                self.path = path
                self.packages = packages
                self.ignore = ignore
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var identifier: String?
                var path: String?
                var packages: [String]?
                var ignore: [String]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("identifier") {
                        identifier = try reader.readString()
                    } else if reader.keyIs("path") {
                        path = try reader.readString()
                    } else if reader.keyIs("packages") {
                        packages = try reader.readStrings()
                    } else if reader.keyIs("ignore") {
                        ignore = try reader.readStrings()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let identifier else { throw JSONError(.missingField("identifier"), at: start) }
                guard let path else { throw JSONError(.missingField("path"), at: start) }
                self.identifier = identifier
                self.path = path
                self.packages = packages
                self.ignore = ignore
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("identifier", identifier)
                writer.field("path", path)
                writer.field("packages", packages)
                writer.field("ignore", ignore)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var container: ContainerDescription

            /// The message from its fields.
            package init(container: ContainerDescription) {
                self.container = container
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var container: ContainerDescription?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("container") {
                        container = try ContainerDescription(from: &reader)
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let container else { throw JSONError(.missingField("container"), at: start) }
                self.container = container
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("container", message: container)
                writer.endObject()
            }
        }
    }
}
