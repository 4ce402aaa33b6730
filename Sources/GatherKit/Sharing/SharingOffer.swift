// A container that another device offers.
// SPDX-License-Identifier: Apache-2.0

internal import GatherProtocol

/// A folder that another device offers and that is not accepted here yet.
public struct SharingOffer: Sendable, Hashable {
    /// The identifier of the device.
    public let device: String
    /// Syncthing's identifier of the folder.
    public let folder: String
    /// The name of the container there.
    public let container: ContainerIdentifier
    /// Whether it is the folder of the container's documents, which lies in its directory `Documents`.
    public let isDocuments: Bool

    /// Makes an offer from its parts.
    package init(device: String, folder: String, container: String) {
        self.device = device
        self.folder = folder
        // Folders of documents have the name of their container in front. A name has no blanks.
        isDocuments = folder.hasPrefix("gather-") && folder.hasSuffix("-documents") && container.hasSuffix(Self.suffix)
        self.container = ContainerIdentifier(
            isDocuments ? String(container.dropLast(Self.suffix.count)) : container)
    }

    private static let suffix = " documents"

    init(_ offer: FolderOffer) {
        self.init(device: offer.device, folder: offer.folder, container: offer.container)
    }
}
