// The vocabulary (`Attribute`, `MetadataValue`, `Timestamp`, `FileKind`) is part of the client's API. Importing GatherKit
// provides it, so that an application depends on one module only.
// SPDX-License-Identifier: Apache-2.0

@_exported public import Metadata
