// The kinds of changes to a tree that a churner makes.
// SPDX-License-Identifier: Apache-2.0

enum ChurnOperation: CaseIterable {
    case append, truncate, unlink, makeDirectory, renameFile, renameDirectory, renameOver, moveOut, moveIn, exchange
    case removeTree, symlink, link, fill, mode, tag, attribute, modified, save, saveWithBackup, swapForLink,
        swapBack
    case fifo, replace

    var weight: Int {
        switch self {
        case .append: 16
        case .unlink, .makeDirectory, .renameFile, .renameDirectory: 8
        case .tag, .link, .renameOver, .save: 5
        case .truncate, .moveOut, .moveIn, .exchange, .fill, .mode, .modified: 4
        case .removeTree, .symlink, .saveWithBackup, .swapForLink, .swapBack, .replace: 3
        case .attribute: 2
        case .fifo: 1
        }
    }
}
