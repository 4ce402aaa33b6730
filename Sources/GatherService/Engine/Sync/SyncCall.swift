// The call in which a helper tells states.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Varlink

/// The call of Attach, which lasts as long as the session.
protocol SyncCall: AnyObject {
    /// Called when the helper is gone.
    var onClose: (() -> Void)? { get set }
    /// Tells the helper its session.
    func begin(_ session: SyncInterface.Attach.Reply)
    /// Ends the call.
    func end(_ error: SyncError)
}

extension VarlinkCall: SyncCall {
    func begin(_ session: SyncInterface.Attach.Reply) { reply(session, continues: true) }
    func end(_ error: SyncError) { fail(error) }
}
