// Addresses as people type them.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Varlink

struct VarlinkAddressTests {
    @Test(arguments: [
        ("/run/gatherd/io.gatherd", "/run/gatherd/io.gatherd"),
        ("unix:/run/gatherd/io.gatherd", "/run/gatherd/io.gatherd"),
        ("unix:s;mode=0600", "s"), ("./unix:s", "./unix:s"), ("a;b", "a;b"), ("unix:", ""), ("", ""),
    ])
    func anAddressIsThePathInIt(_ address: String, _ path: String) {
        #expect(VarlinkAddress.path(address) == path)
    }
}
