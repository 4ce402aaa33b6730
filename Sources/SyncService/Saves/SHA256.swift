// SHA-256 (FIPS 180-4).
// SPDX-License-Identifier: Apache-2.0

internal import CMessageDigest

/// SHA-256, in pieces, by libmd. Devices exchange these hashes, so two versions must never have one: 64 bits would not withstand a
/// person who looks for equal ones. The helper's sandbox forbids the kernel's (`AF_ALG`).
struct SHA256 {
    static let byteCount = Int(SHA256_DIGEST_LENGTH)

    private var context = SHA2_CTX()

    init() { SHA256Init(&context) }

    /// Adds bytes to the hashed data.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        SHA256Update(&context, start, bytes.count)
    }

    /// Returns the hash of all bytes, ``byteCount`` of them. The value must not be used any more.
    mutating func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { buffer, count in
            SHA256Final(buffer.baseAddress, &context)
            count = SHA256.byteCount
        }
    }
}
