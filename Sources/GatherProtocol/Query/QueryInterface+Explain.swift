// The messages of io.gatherd.Query.Explain.
// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension QueryInterface {
    /// How a predicate was understood.
    package enum Explain: VarlinkMethod {
        package static let name = "io.gatherd.Query.Explain"

        /// What is asked.
        package struct Request: JSONMessage, Hashable {
            package var predicate: String
            /// Where it is carried out with `analyze`, as for Find.
            package var scopes: [String]?
            /// Whether it is carried out once; nil: it is not.
            package var analyze: Bool?

            /// The message from its fields.
            package init(predicate: String, scopes: [String]? = nil, analyze: Bool? = nil) {
                self.predicate = predicate
                self.scopes = scopes
                self.analyze = analyze
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var predicate: String?
                var scopes: [String]?
                var analyze: Bool?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("predicate") {
                        predicate = try reader.readString()
                    } else if reader.keyIs("scopes") {
                        scopes = try reader.readStrings()
                    } else if reader.keyIs("analyze") {
                        analyze = try reader.readBool()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let predicate else { throw JSONError(.missingField("predicate"), at: start) }
                self.predicate = predicate
                self.scopes = scopes
                self.analyze = analyze
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("predicate", predicate)
                writer.field("scopes", scopes)
                writer.field("analyze", analyze)
                writer.endObject()
            }
        }

        /// The answer.
        package struct Reply: JSONMessage, Hashable {
            package var canonical: String
            package var attributes: [String]
            package var plan: String
            package var steps: [Step]?

            /// The message from its fields.
            package init(canonical: String, attributes: [String], plan: String, steps: [Step]? = nil) {
                self.canonical = canonical
                self.attributes = attributes
                self.plan = plan
                self.steps = steps
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var canonical: String?
                var attributes: [String]?
                var plan: String?
                var steps: [Step]?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("canonical") {
                        canonical = try reader.readString()
                    } else if reader.keyIs("attributes") {
                        attributes = try reader.readStrings()
                    } else if reader.keyIs("plan") {
                        plan = try reader.readString()
                    } else if reader.keyIs("steps") {
                        steps = try reader.readMessages()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let canonical else { throw JSONError(.missingField("canonical"), at: start) }
                guard let attributes else { throw JSONError(.missingField("attributes"), at: start) }
                guard let plan else { throw JSONError(.missingField("plan"), at: start) }
                self.canonical = canonical
                self.attributes = attributes
                self.plan = plan
                self.steps = steps
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("canonical", canonical)
                writer.field("attributes", attributes)
                writer.field("plan", plan)
                if let steps { writer.field("steps", messages: steps) }
                writer.endObject()
            }
        }

        /// One step, as it was carried out.
        package struct Step: JSONMessage, Hashable {
            package var step: String
            package var rows: Int64
            package var microseconds: Int64

            /// The message from its fields.
            package init(step: String, rows: Int64, microseconds: Int64) {
                self.step = step
                self.rows = rows
                self.microseconds = microseconds
            }

            package init(from reader: inout JSONReader) throws(JSONError) {
                let start = reader.position
                var step: String?
                var rows: Int64?
                var microseconds: Int64?
                try reader.beginObject()
                while try reader.nextKey() {
                    if try reader.readNullIfPresent() { continue }
                    if reader.keyIs("step") {
                        step = try reader.readString()
                    } else if reader.keyIs("rows") {
                        rows = try reader.readInteger()
                    } else if reader.keyIs("microseconds") {
                        microseconds = try reader.readInteger()
                    } else {
                        try reader.skipValue()
                    }
                }
                guard let step else { throw JSONError(.missingField("step"), at: start) }
                guard let rows else { throw JSONError(.missingField("rows"), at: start) }
                guard let microseconds else { throw JSONError(.missingField("microseconds"), at: start) }
                self.step = step
                self.rows = rows
                self.microseconds = microseconds
            }

            package func write(to writer: inout JSONWriter) {
                writer.beginObject()
                writer.field("step", step)
                writer.field("rows", rows)
                writer.field("microseconds", microseconds)
                writer.endObject()
            }
        }
    }
}
