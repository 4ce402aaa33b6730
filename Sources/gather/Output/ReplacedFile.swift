// A file that is replaced as a whole.
// SPDX-License-Identifier: Apache-2.0

internal import GatherKit
internal import Glibc

/// Writes files so that whoever reads one finds it as it was before or as it is now, and nothing between.
enum ReplacedFile {
    /// Writes beside the file and renames that over it. Everybody may read it: collectors run as users of their own.
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        // A name with a dot before it, and without the ending, is read by no collector.
        var template = Array((path[..<slash] + "." + path[slash...] + ".XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        func failure(_ code: Int32) -> Failure {
            Failure("\(DisplayText.escaped(path)): \(String(cString: strerror(code)))")
        }
        guard descriptor >= 0 else { throw failure(errno) }
        var code: Int32 = 0
        var rest = bytes[...]
        while code == 0, !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { code = errno }
        }
        if code == 0, fchmod(descriptor, 0o644) != 0 { code = errno }
        if close(descriptor) != 0, code == 0 { code = errno }
        if code == 0, rename(template, path) != 0 { code = errno }
        guard code != 0 else { return }
        unlink(template)
        throw failure(code)
    }
}
