// Turns log messages into journal fields.
// SPDX-License-Identifier: Apache-2.0

import Logging

/// The fields of one journal entry, each as the bytes `NAME=value` that `sd_journal_sendv(3)` takes.
struct JournalFields {
    /// The prefix of Gather's own fields (`systemd.journal-fields(7)`).
    static let prefix = "GATHERD_"
    /// The longest field name that journald accepts.
    static let maximumNameLength = 64

    private(set) var fields: [[UInt8]] = []

    init(event: LogEvent, metadata: Logger.Metadata, identifier: String) {
        append("MESSAGE", LogLine.text("\(event.message)", metadata))
        append("PRIORITY", "\(event.level.priority)")
        append("SYSLOG_IDENTIFIER", identifier)
        append("CODE_FILE", event.file)
        append("CODE_LINE", "\(event.line)")
        append("CODE_FUNC", event.function)
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            if key == MessageIdentifier.metadataKey, let kind = MessageIdentifier(rawValue: value.description) {
                append("MESSAGE_ID", kind.identifier)
            } else {
                append(metadata: value, name: JournalFields.name(for: key))
            }
        }
    }

    /// Returns the field for a metadata key: `watch-limit` becomes `GATHERD_WATCH_LIMIT`. Letters become upper case,
    /// and any character but letters and digits an underscore. The name is cut at 64 characters.
    ///
    /// Two keys with the same name are two values of one field, which the journal allows.
    static func name(for key: String) -> String {
        let body = key.utf8.lazy.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            default: UInt8(ascii: "_")
            }
        }
        return prefix + String(decoding: body.prefix(maximumNameLength - prefix.utf8.count), as: UTF8.self)
    }

    private mutating func append(_ name: String, _ value: String) {
        fields.append(Array("\(name)=\(value)".utf8))
    }

    /// A list becomes one field for each element, so that `journalctl GATHERD_PATH=/a` finds an entry about several.
    private mutating func append(metadata value: Logger.MetadataValue, name: String) {
        if case .array(let elements) = value {
            for element in elements { append(name, element.description) }
        } else {
            append(name, value.description)
        }
    }
}
