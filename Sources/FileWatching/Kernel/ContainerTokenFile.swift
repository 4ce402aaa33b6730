// The file of a container's mark, as it was read last.
// SPDX-License-Identifier: Apache-2.0

package import Metadata

/// The file `.gather/container` of a directory, as it was read last.
package struct ContainerTokenFile: Hashable, Sendable {
    package let finding: ContainerMark.Finding
    /// The status of the file that was read; nil if none was. A file with the same one is not read again.
    package let status: FileStatus?

    package init(_ finding: ContainerMark.Finding, _ status: FileStatus? = nil) {
        (self.finding, self.status) = (finding, status)
    }
}
