// Other directories of a container count as one item than before.
// SPDX-License-Identifier: Apache-2.0

import GatherProtocol
import LiveQueries
import Logging
import MetadataIndex

extension Engine {
    /// Goes on with a description of a container that names other packages, and is as before else: nothing is read again,
    /// every item keeps its identity, and clocks go on. False, and nothing is done, where the container has to be read anew:
    /// anything else differs, it is not exact yet or away, or there are to be no packages from now on (a clock from before
    /// could not tell what was hidden then).
    func setPackages(of record: ContainerRecord, by configuration: ContainerConfiguration) -> Bool {
        var same = record.configuration
        same.packages = configuration.packages
        guard same == configuration, !configuration.packages.isEmpty, !record.index.isParked, !isHeld(record),
            !state(of: record).isSettling
        else { return false }
        absorb(record)
        record.set(packages: configuration.packages)
        tree.presentAnew(record.number)
        record.saving.noteChange()
        absorb(record)
        for subscription in subscriptions.all { subscription.packagesChanged(record) }
        runErrands(of: record)
        logger.info(
            "the packages of container '\(record.identifier)' are now: \(configuration.packages.joined(separator: ", ")); live queries receive the differences",
            metadata: ["container": "\(record.identifier)"])
        return true
    }
}
