// Uniform type identifiers, and the MIME types that mean the same.
// SPDX-License-Identifier: Apache-2.0

/// A uniform type identifier, the identifiers that it conforms to, and the MIME type with the same meaning. The list has
/// those of Apple's platforms ("System-Declared Uniform Type Identifiers") and of common file formats.
package struct UniformType: Sendable {
    /// The identifier, in lower case.
    package let identifier: String
    let parents: [String]
    /// The MIME type; nil where the identifier stands for several.
    package let mediaType: String?

    private init(_ identifier: String, _ mediaType: String? = nil, _ parents: String...) {
        self.identifier = identifier
        self.mediaType = mediaType
        self.parents = parents
    }

    /// Finds a known identifier; its letters' case does not count.
    package init?(identifier: String) {
        guard let known = UniformType.named[identifier.lowercased()] else { return nil }
        self = known
    }

    /// The known types by identifier.
    package static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.identifier, $0) })
    /// The identifier that all MIME types of a family conform to.
    package static let families = [
        "image": "public.image", "audio": "public.audio", "video": "public.movie", "text": "public.text",
        "font": "public.font", "message": "public.message", "model": "public.3d-content", "inode": "public.item",
    ]
    /// The MIME type that a word such as `pdf` or `jpeg` stands for: by its subtype, or by the end of an identifier.
    package static func mediaType(called word: String) -> String? {
        let candidates = all.filter { type in
            let subtype = type.mediaType?.split(separator: "/").last
            return subtype == word[...] || subtype == "x-\(word)"
                || type.identifier.split(separator: ".").last == word[...]
        }
        return candidates.compactMap(\.mediaType).first
    }

    /// Identifiers that MIME types without an identifier of their own conform to.
    static let otherKinds = Dictionary(
        uniqueKeysWithValues: [
            "application/zstd", "application/x-lzma", "application/x-lz4", "application/x-lzip", "application/x-bzip2",
            "application/x-rpm", "application/vnd.debian.binary-package", "application/x-zstd-compressed-tar",
            "application/x-lzma-compressed-tar", "application/x-tarz", "application/x-arj", "application/x-lha",
            "application/vnd.ms-cab-compressed", "application/x-ar",
        ].map { ($0, "public.archive") } + [
            ("application/vnd.microsoft.portable-executable", "public.executable"),
            ("application/x-msdownload", "public.executable"), ("application/vnd.sqlite3", "public.database"),
            ("application/x-executable", "public.executable"),
            ("application/x-sharedlib", "public.executable"), ("application/x-pie-executable", "public.executable"),
        ])

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
        UniformType("public.utf8-plain-text", "text/plain", "public.text"),
        UniformType("public.utf16-plain-text", "text/plain", "public.text"),
        UniformType("public.rtf", "application/rtf", "public.text"),
        UniformType("public.html", "text/html", "public.text"),
        UniformType("public.xml", "application/xml", "public.text"),
        UniformType("public.json", "application/json", "public.text"),
        UniformType("public.yaml", "application/x-yaml", "public.text"),
        UniformType("public.css", "text/css", "public.text"),
        UniformType("public.comma-separated-values-text", "text/csv", "public.delimited-values-text"),
        UniformType("public.tab-separated-values-text", "text/tab-separated-values", "public.delimited-values-text"),
        UniformType("public.delimited-values-text", nil, "public.text"),
        UniformType("net.daringfireball.markdown", "text/markdown", "public.plain-text"),
        UniformType("public.source-code", nil, "public.plain-text"),
        UniformType("public.make-source", "text/x-makefile", "public.source-code"),
        UniformType("public.objective-c-source", "text/x-objcsrc", "public.source-code"),
        UniformType("org.rust-lang.rust-script", "text/rust", "public.source-code"),
        UniformType("org.golang.go-script", "text/x-go", "public.source-code"),
        UniformType("public.patch-file", "text/x-patch", "public.plain-text"),
        UniformType("org.tug.tex", "text/x-tex", "public.plain-text"),
        UniformType("public.csh-script", "application/x-csh", "public.script"),
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
        UniformType("public.heif-standard", "image/heif", "public.image"),
        UniformType("public.heif", "image/heif", "public.image"),
        UniformType("public.avif", "image/avif", "public.image"),
        UniformType("public.webp", "image/webp", "public.image"),
        UniformType("public.jpeg-xl", "image/jxl", "public.image"),
        UniformType("com.ilm.openexr-image", "image/x-exr", "public.image"),
        UniformType("com.truevision.tga-image", "image/x-tga", "public.image"),
        UniformType("com.apple.icns", "image/x-icns", "public.image"),
        UniformType("com.apple.pict", "image/x-pict", "public.image"),
        UniformType("com.adobe.illustrator.ai-image", "application/illustrator", "public.image"),
        UniformType("com.adobe.encapsulated-postscript", "image/x-eps", "com.adobe.postscript"),
        UniformType("public.svg-image", "image/svg+xml", "public.image", "public.xml"),
        UniformType("com.compuserve.gif", "image/gif", "public.image"),
        UniformType("com.microsoft.bmp", "image/bmp", "public.image"),
        UniformType("com.microsoft.ico", "image/vnd.microsoft.icon", "public.image"),
        UniformType("org.webmproject.webp", "image/webp", "public.image"),
        UniformType("com.adobe.photoshop-image", "image/vnd.adobe.photoshop", "public.image"),
        UniformType("public.camera-raw-image", "image/x-dcraw", "public.image"),
        UniformType("com.adobe.raw-image", "image/x-adobe-dng", "public.camera-raw-image"),
        UniformType("com.canon.cr2-raw-image", "image/x-canon-cr2", "public.camera-raw-image"),
        UniformType("com.canon.cr3-raw-image", "image/x-canon-cr3", "public.camera-raw-image"),
        UniformType("com.nikon.raw-image", "image/x-nikon-nef", "public.camera-raw-image"),
        UniformType("com.sony.arw-raw-image", "image/x-sony-arw", "public.camera-raw-image"),
        UniformType("com.fuji.raw-image", "image/x-fuji-raf", "public.camera-raw-image"),

        UniformType("public.audiovisual-content", nil, "public.data", "public.content"),
        UniformType("public.audio", nil, "public.audiovisual-content"),
        UniformType("public.mp3", "audio/mpeg", "public.audio"),
        UniformType("public.mpeg-4-audio", "audio/mp4", "public.audio"),
        UniformType("public.midi-audio", "audio/midi", "public.audio"),
        UniformType("public.aiff-audio", "audio/x-aiff", "public.audio"),
        UniformType("com.microsoft.waveform-audio", "audio/x-wav", "public.audio"),
        UniformType("org.xiph.flac", "audio/flac", "public.audio"),
        UniformType("com.apple.m4a-audio", "audio/mp4", "public.mpeg-4-audio"),
        UniformType("public.aac-audio", "audio/aac", "public.audio"),
        UniformType("public.ulaw-audio", "audio/basic", "public.audio"),
        UniformType("public.m3u-playlist", "audio/x-mpegurl", "public.text"),
        UniformType("com.microsoft.windows-media-wma", "audio/x-ms-wma", "public.audio"),
        UniformType("org.xiph.ogg-audio", "audio/ogg", "public.audio"),
        UniformType("org.xiph.opus", "audio/x-opus+ogg", "public.audio"),
        UniformType("public.movie", nil, "public.audiovisual-content"),
        UniformType("public.video", nil, "public.movie"),
        UniformType("public.mpeg", "video/mpeg", "public.movie"),
        UniformType("public.mpeg-4", "video/mp4", "public.movie"),
        UniformType("public.avi", "video/x-msvideo", "public.movie"),
        UniformType("com.apple.quicktime-movie", "video/quicktime", "public.movie"),
        UniformType("com.apple.m4v-video", "video/mp4", "public.mpeg-4"),
        UniformType("public.3gpp", "video/3gpp", "public.movie"),
        UniformType("public.mpeg-2-transport-stream", "video/mp2t", "public.movie"),
        UniformType("com.microsoft.windows-media-wmv", "video/x-ms-wmv", "public.movie"),
        UniformType("com.adobe.flash.video", "video/x-flv", "public.movie"),
        UniformType("org.matroska.mkv", "video/x-matroska", "public.movie"),
        UniformType("org.webmproject.webm", "video/webm", "public.movie"),

        UniformType("com.adobe.pdf", "application/pdf", "public.data", "public.composite-content"),
        UniformType("com.adobe.postscript", "application/postscript", "public.data"),
        UniformType("com.apple.webarchive", "application/x-webarchive", "public.data", "public.composite-content"),
        UniformType("com.microsoft.windows-executable", "application/x-ms-dos-executable", "public.executable"),
        UniformType("public.object-code", "application/x-object", "public.executable"),
        UniformType("org.idpf.epub-container", "application/epub+zip", "public.data", "public.composite-content"),
        UniformType("public.zip-archive", "application/zip", "public.archive"),
        UniformType("public.tar-archive", "application/x-tar", "public.archive"),
        UniformType("org.gnu.gnu-zip-archive", "application/gzip", "public.archive"),
        UniformType("public.bzip2-archive", "application/x-bzip", "public.archive"),
        UniformType("com.pkware.zip-archive", "application/zip", "public.zip-archive"),
        UniformType("org.gnu.gnu-tar-archive", "application/x-tar", "public.tar-archive"),
        UniformType("org.gnu.gnu-zip-tar-archive", "application/x-compressed-tar", "public.archive"),
        UniformType("public.tar-bzip2-archive", "application/x-bzip-compressed-tar", "public.archive"),
        UniformType("public.tar-xz-archive", "application/x-xz-compressed-tar", "public.archive"),
        UniformType("org.tukaani.xz-archive", "application/x-xz", "public.archive"),
        UniformType("org.tukaani.tar-xz-archive", "application/x-xz-compressed-tar", "public.archive"),
        UniformType("org.7-zip.7-zip-archive", "application/x-7z-compressed", "public.archive"),
        UniformType("com.rarlab.rar-archive", "application/vnd.rar", "public.archive"),
        UniformType("com.sun.java-archive", "application/x-java-archive", "public.archive", "public.executable"),
        UniformType("public.cpio-archive", "application/x-cpio", "public.archive"),
        UniformType("public.z-archive", "application/x-compress", "public.archive"),
        UniformType("com.apple.disk-image", "application/x-apple-diskimage", "public.disk-image"),
        UniformType("com.apple.disk-image-udif", "application/x-apple-diskimage", "public.disk-image"),
        UniformType("public.iso-image", "application/x-cd-image", "public.disk-image"),
        UniformType("public.truetype-ttf-font", "font/ttf", "public.font"),
        UniformType("public.opentype-font", "font/otf", "public.font"),
        UniformType("org.w3.woff", "font/woff", "public.font"),
        UniformType("org.w3.woff2", "font/woff2", "public.font"),
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
