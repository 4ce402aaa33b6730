// The status of sharing.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import Syncthing

extension SharingMethods {
    /// Replies with the status, and with `more` after each change.
    func status(_ answer: SharingAnswer) async throws {
        guard answer.wantsMore else {
            answer.reply(await status(nil).reply)
            return
        }
        var last: SharingStatus?
        for await _ in await core.changes(startingNow: true) {
            let now = await status(last)
            if now.reply != last?.reply { answer.reply(now.reply, continues: true) }
            last = now
            await answer.untilWritable()
            try await Task.sleep(for: SyncLimits.statusPause)
        }
    }

    private func status(_ last: SharingStatus?) async -> SharingStatus {
        guard let run = await core.syncthing else { return SharingStatus(reason: await core.reason) }
        do throws(SyncthingError) {
            var status = try await SharingStatus(run, await VisibleContainers(of: core, for: caller), after: last)
            status.reply.corrections = core.corrections.count
            return status
        } catch {
            return SharingStatus(reason: "\(error)")
        }
    }
}
