// The call in which a question is asked.
// SPDX-License-Identifier: Apache-2.0

import Varlink

/// A call that waits for an answer, as far as its question is run.
protocol QuestionCall: AnyObject {
    var peer: PeerCredentials { get }
    /// Whether no client waits for the answer any more.
    var hasEnded: Bool { get }
    /// Called when the caller is gone.
    var onClose: (() -> Void)? { get set }
    /// Called once at the end of the call.
    var onEnd: (() -> Void)? { get set }
    /// Ends the call.
    func fail(_ error: VarlinkError)
}

extension VarlinkCall: QuestionCall {}
