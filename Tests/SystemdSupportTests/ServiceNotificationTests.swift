// The text of notifications, against sd_notify(3).
// SPDX-License-Identifier: Apache-2.0

import SystemdSupport
import Testing

struct ServiceNotificationTests {
    @Test(arguments: [
        (ServiceNotification.ready, "READY=1"),
        (.reloading(monotonic: 42), "RELOADING=1\nMONOTONIC_USEC=42"),
        (.stopping, "STOPPING=1"),
        (.status("50 directories"), "STATUS=50 directories"),
        (.watchdog, "WATCHDOG=1"),
        (.extendTimeout(microseconds: 30_000_000), "EXTEND_TIMEOUT_USEC=30000000"),
    ])
    func `Each kind is the assignment of the manual`(_ notification: ServiceNotification, _ text: String) {
        #expect(notification.assignment == text)
    }

    @Test func `A status stays one assignment whatever is in it`() {
        #expect(ServiceNotification.status("reading a\nREADY=1\u{7F}\tb").assignment == "STATUS=reading a READY=1  b")
        #expect(ServiceNotification.status("Äpfel").assignment == "STATUS=Äpfel")
    }
}
