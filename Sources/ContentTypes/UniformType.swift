// The uniform type identifiers that everybody knows, and the media types that mean the same.
// SPDX-License-Identifier: Apache-2.0

/// A uniform type identifier of those that Apple's platforms declare ("System-Declared Uniform Type Identifiers"), what it
/// is a kind of, and the media type that means the same, if one does. So a predicate that names `public.image` is
/// understood here too.
struct UniformType: Sendable {
    let identifier: String
    let parents: [String]
    let mediaType: String?

    private init(_ identifier: String, _ mediaType: String? = nil, _ parents: String...) {
        self.identifier = identifier
        self.mediaType = mediaType
        self.parents = parents
    }

    /// By identifier.
    static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.identifier, $0) })
    /// By media type.
    static let meaning = Dictionary(grouping: all.filter { $0.mediaType != nil }) { $0.mediaType ?? "" }
    /// What all media types of a family are.
    static let families = [
        "image": "public.image", "audio": "public.audio", "video": "public.movie", "text": "public.text",
        "font": "public.font", "message": "public.message", "model": "public.3d-content", "inode": "public.item",
    ]

    private static let all: [UniformType] = [
        UniformType("public.item"),
        UniformType("public.content"),
        UniformType("public.composite-content", nil, "public.content"),
        UniformType("public.data", "application/octet-stream", "public.item"),
        UniformType("public.directory", nil, "public.item"),
        UniformType("public.folder", "inode/directory", "public.directory"),
        UniformType("public.symlink", "inode/symlink", "public.item"),
        UniformType("public.archive", nil, "public.data"),
        UniformType("public.disk-image", nil, "public.archive"),
        UniformType("public.message", nil, "public.data"),
        UniformType("public.contact", nil),
        UniformType("public.calendar-event", nil),
        UniformType("public.executable", nil, "public.data"),
        UniformType("public.font", nil, "public.data"),
        UniformType("public.3d-content", nil, "public.data", "public.content"),
        UniformType("public.database", nil),
        UniformType("public.presentation", nil, "public.composite-content"),
        UniformType("public.spreadsheet", nil, "public.content"),

        UniformType("public.text", nil, "public.data", "public.content"),
        UniformType("public.plain-text", "text/plain", "public.text"),
        UniformType("public.rtf", "application/rtf", "public.text"),
        UniformType("public.html", "text/html", "public.text"),
        UniformType("public.xml", "application/xml", "public.text"),
        UniformType("public.json", "application/json", "public.text"),
        UniformType("public.yaml", "application/yaml", "public.text"),
        UniformType("public.css", "text/css", "public.text"),
        UniformType("public.comma-separated-values-text", "text/csv", "public.delimited-values-text"),
        UniformType("public.tab-separated-values-text", "text/tab-separated-values", "public.delimited-values-text"),
        UniformType("public.delimited-values-text", nil, "public.text"),
        UniformType("net.daringfireball.markdown", "text/markdown", "public.plain-text"),
        UniformType("public.source-code", nil, "public.plain-text"),
        UniformType("public.script", nil, "public.source-code"),
        UniformType("public.shell-script", "application/x-shellscript", "public.script"),
        UniformType("public.python-script", "text/x-python", "public.script"),
        UniformType("public.perl-script", "application/x-perl", "public.script"),
        UniformType("public.ruby-script", "application/x-ruby", "public.script"),
        UniformType("public.php-script", "application/x-php", "public.script"),
        UniformType("com.netscape.javascript-source", "text/javascript", "public.source-code"),
        UniformType("public.c-source", "text/x-csrc", "public.source-code"),
        UniformType("public.c-header", "text/x-chdr", "public.source-code"),
        UniformType("public.c-plus-plus-source", "text/x-c++src", "public.source-code"),
        UniformType("public.c-plus-plus-header", "text/x-c++hdr", "public.source-code"),
        UniformType("com.sun.java-source", "text/x-java", "public.source-code"),
        UniformType("public.swift-source", "text/x-swift", "public.source-code"),
        UniformType("public.vcard", "text/vcard", "public.text", "public.contact"),
        UniformType("com.apple.ical.ics", "text/calendar", "public.text", "public.calendar-event"),
        UniformType("public.email-message", "message/rfc822", "public.message"),
        UniformType("public.log", "text/x-log", "public.plain-text"),

        UniformType("public.image", nil, "public.data", "public.content"),
        UniformType("public.jpeg", "image/jpeg", "public.image"),
        UniformType("public.jpeg-2000", "image/jp2", "public.image"),
        UniformType("public.png", "image/png", "public.image"),
        UniformType("public.tiff", "image/tiff", "public.image"),
        UniformType("public.heic", "image/heif", "public.image"),
        UniformType("public.svg-image", "image/svg+xml", "public.image", "public.xml"),
        UniformType("com.compuserve.gif", "image/gif", "public.image"),
        UniformType("com.microsoft.bmp", "image/bmp", "public.image"),
        UniformType("com.microsoft.ico", "image/vnd.microsoft.icon", "public.image"),
        UniformType("org.webmproject.webp", "image/webp", "public.image"),
        UniformType("com.adobe.photoshop-image", "image/vnd.adobe.photoshop", "public.image"),
        UniformType("public.camera-raw-image", "image/x-dcraw", "public.image"),

        UniformType("public.audiovisual-content", nil, "public.data", "public.content"),
        UniformType("public.audio", nil, "public.audiovisual-content"),
        UniformType("public.mp3", "audio/mpeg", "public.audio"),
        UniformType("public.mpeg-4-audio", "audio/mp4", "public.audio"),
        UniformType("public.midi-audio", "audio/midi", "public.audio"),
        UniformType("public.aiff-audio", "audio/x-aiff", "public.audio"),
        UniformType("com.microsoft.waveform-audio", "audio/x-wav", "public.audio"),
        UniformType("org.xiph.flac", "audio/flac", "public.audio"),
        UniformType("public.movie", nil, "public.audiovisual-content"),
        UniformType("public.video", nil, "public.movie"),
        UniformType("public.mpeg", "video/mpeg", "public.movie"),
        UniformType("public.mpeg-4", "video/mp4", "public.movie"),
        UniformType("public.avi", "video/x-msvideo", "public.movie"),
        UniformType("com.apple.quicktime-movie", "video/quicktime", "public.movie"),

        UniformType("com.adobe.pdf", "application/pdf", "public.data", "public.composite-content"),
        UniformType("com.adobe.postscript", "application/postscript", "public.data"),
        UniformType("org.idpf.epub-container", "application/epub+zip", "public.data", "public.composite-content"),
        UniformType("public.zip-archive", "application/zip", "public.archive"),
        UniformType("public.tar-archive", "application/x-tar", "public.archive"),
        UniformType("org.gnu.gnu-zip-archive", "application/gzip", "public.archive"),
        UniformType("public.bzip2-archive", "application/x-bzip", "public.archive"),
        UniformType("public.iso-image", "application/x-cd-image", "public.disk-image"),
        UniformType("public.truetype-ttf-font", "font/ttf", "public.font"),
        UniformType("public.opentype-font", "font/otf", "public.font"),
        UniformType("com.microsoft.word.doc", "application/msword", "public.composite-content"),
        UniformType(
            "org.openxmlformats.wordprocessingml.document",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "public.composite-content"),
        UniformType("com.microsoft.excel.xls", "application/vnd.ms-excel", "public.spreadsheet"),
        UniformType(
            "org.openxmlformats.spreadsheetml.sheet",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "public.spreadsheet"),
        UniformType("com.microsoft.powerpoint.ppt", "application/vnd.ms-powerpoint", "public.presentation"),
        UniformType(
            "org.openxmlformats.presentationml.presentation",
            "application/vnd.openxmlformats-officedocument.presentationml.presentation", "public.presentation"),
        UniformType(
            "org.oasis-open.opendocument.text", "application/vnd.oasis.opendocument.text", "public.composite-content"),
        UniformType(
            "org.oasis-open.opendocument.spreadsheet", "application/vnd.oasis.opendocument.spreadsheet",
            "public.spreadsheet"),
        UniformType(
            "org.oasis-open.opendocument.presentation", "application/vnd.oasis.opendocument.presentation",
            "public.presentation"),
    ]
}
