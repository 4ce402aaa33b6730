// Formats that cannot be imported, so that a message can name them.
// SPDX-License-Identifier: Apache-2.0

/// Formats that cannot be imported, so that a message can name them.
enum ForeignFormat {
    /// The formats of endings, with an article.
    static let endings: [String: String] = {
        let names = [
            "an iCalendar file": "ics ical icalendar ifb vcs", "a vCard file": "vcf vcard",
            "an HTML file": "html htm xhtml mhtml", "an XML file": "xml opml rss svg plist", "a YAML file": "yaml yml",
            "a TOML file": "toml", "an Org file": "org", "a PDF file": "pdf", "a rich text file": "rtf",
            "a spreadsheet": "xls xlsx ods numbers", "a document of a word processor": "doc docx odt pages",
            "an archive": "zip gz xz zst bz2 tar tgz 7z rar", "a database": "sqlite sqlite3 db",
            "a picture": "png jpg jpeg gif webp heic", "an email": "eml mbox",
        ]
        return Dictionary(
            uniqueKeysWithValues: names.flatMap { name, endings in
                endings.split(separator: " ").map { (String($0), name) }
            })
    }()

    /// Returns the format that contents are in, with an article, whatever the ending is; nil for text in none of these.
    static func name(ofContents bytes: [UInt8]) -> String? {
        for (beginning, name) in magic where bytes.starts(with: beginning) { return name }
        if bytes.contains(0) { return "binary data" }
        guard String(validating: bytes, as: UTF8.self) != nil else { return "not UTF-8 text" }
        let text = bytes.withoutByteOrderMark.drop { " \t\r\n".utf8.contains($0) }
        let beginning = String(decoding: text.prefix(longestBeginning), as: UTF8.self).lowercased()
        for (text, name) in beginnings where beginning.utf8.starts(with: text.utf8) { return name }
        return nil
    }

    /// Whether a text begins with a tag, a comment or an instruction of HTML or XML. The text `<3 chocolate` does not.
    static func isMarkup(_ text: String) -> Bool {
        let bytes = text.utf8.drop { " \t\r\n".utf8.contains($0) }.prefix(2)
        guard bytes.count == 2, bytes.first == UInt8(ascii: "<"), let second = bytes.last else { return false }
        return "!?/".utf8.contains(second)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(second | 0x20)
    }

    private static let magic: [([UInt8], String)] = [
        (Array("%PDF-".utf8), "a PDF file"), (Array("PK\u{3}\u{4}".utf8), "a ZIP archive or a document in one"),
        (Array("PK\u{5}\u{6}".utf8), "a ZIP archive"), ([0x1F, 0x8B], "a file of gzip"),
        (Array("SQLite format 3\0".utf8), "a database"), ([0x89] + Array("PNG".utf8), "a picture"),
        ([0xFF, 0xD8, 0xFF], "a picture"), (Array("GIF8".utf8), "a picture"),
        ([0xD0, 0xCF, 0x11, 0xE0], "a document of an office program"), ([0xFF, 0xFE], "UTF-16 text, not UTF-8"),
        ([0xFE, 0xFF], "UTF-16 text, not UTF-8"),
    ]

    /// Beginnings of text in lower case.
    private static let beginnings: [(String, String)] = [
        ("begin:vcalendar", "an iCalendar file"), ("begin:vcard", "a vCard file"), ("<!doctype html", "an HTML file"),
        ("<html", "an HTML file"), ("<?xml", "an XML file"), ("{\\rtf", "a rich text file"),
    ]
    private static let longestBeginning = 16
}
