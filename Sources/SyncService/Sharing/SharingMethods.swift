// The methods of io.gatherd.Sharing.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Glibc
import Syncthing
import Varlink

/// Answers the calls of `io.gatherd.Sharing`.
struct SharingMethods: Sendable {
    let core: SyncCore
    /// The caller; nil for the helper itself.
    var caller: PeerCredentials?

    /// Answers one call, whose parameters have the declared types.
    func answer(_ method: String, _ parameters: JSONBytes, _ answer: SharingAnswer) async {
        await core.untilAsked()
        do {
            switch method {
            case SharingInterface.Status.name: try await status(answer)
            case SharingInterface.Check.name:
                answer.reply(SharingInterface.Check.Reply(findings: await check()))
            case SharingInterface.Share.name:
                answer.reply(try await share(try parameters.decode(SharingInterface.Share.Request.self)))
            case SharingInterface.Unshare.name:
                answer.reply(try await unshare(try parameters.decode(SharingInterface.Unshare.Request.self)))
            case SharingInterface.AddDevice.name:
                answer.reply(try await addDevice(try parameters.decode(SharingInterface.AddDevice.Request.self)))
            case SharingInterface.RemoveDevice.name:
                answer.reply(
                    try await removeDevice(try parameters.decode(SharingInterface.RemoveDevice.Request.self)))
            case SharingInterface.Evict.name:
                try await evict(try parameters.decode(SharingInterface.Evict.Request.self), answer)
            case SharingInterface.Download.name:
                try await download(try parameters.decode(SharingInterface.Download.Request.self), answer)
            default: answer.fail(.failed(message: "\(method) is unknown"))
            }
        } catch let error as SharingError {
            answer.fail(error)
        } catch let error as SyncthingError {
            answer.fail(error.isOutage ? .notRunning(reason: "\(error)") : .failed(message: "\(error)"))
        } catch {
            answer.fail(.failed(message: "\(error)"))
        }
    }

    /// Whether a caller may change what is shared: root and the helper's own user. It may know of all containers, too.
    static func isOperator(_ caller: PeerCredentials) -> Bool { caller.userID == 0 || caller.userID == geteuid() }
}
