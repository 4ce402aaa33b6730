// Importing GatherDocuments provides GatherKit, so that an application depends on one module only.
// SPDX-License-Identifier: Apache-2.0

@_exported public import GatherKit
