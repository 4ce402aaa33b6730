// Text of bytes that need not be UTF-8.
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text of bytes such as a file name, which need not be UTF-8. U+FFFD stands for each byte that is not, so that functions
    /// of the language count characters as LIKE and MATCHES do.
    package init(bytes: UnsafeRawBufferPointer) {
        if let text = String(validating: bytes, as: UTF8.self) {
            self = text
        } else {
            self = String(decoding: UTF8Scalars.replacingInvalid(bytes) { _ in 0xFFFD }, as: UTF8.self)
        }
    }

    /// The text of bytes that need not be UTF-8.
    package init(bytes: [UInt8]) { self = bytes.withUnsafeBytes { String(bytes: $0) } }
}
