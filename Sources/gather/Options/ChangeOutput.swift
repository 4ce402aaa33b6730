// The options for the output of changes.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import GatherKit

/// The options of the commands that print the changes of a live query.
struct ChangeOutput: ParsableArguments {
    @Option(
        name: .customLong("attributes"),
        help: ArgumentHelp("Print these attributes with --json: a,b,c. May be repeated.", valueName: "names"),
        completion: Completions.attributes, transform: { try AttributeList($0) })
    var attributeLists: [AttributeList] = []

    /// The attributes of all lists; nil without `--attributes`.
    var attributes: AttributeList? { AttributeList(attributeLists) }

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End each line with NUL in place of a line end.")
    var nulTerminated = false

    mutating func validate() throws {
        if attributes != nil, !json { throw ValidationError("--attributes goes with --json.") }
    }

    /// The attributes that the live query has to send.
    var wanted: [Attribute] { attributes?.attributes ?? (json ? MetadataQuery.defaultAttributes : [.path]) }

    /// The settings of the printer.
    func settings(isResuming: Bool, tellsResults: Bool = true, _ connection: Connection) -> ChangePrinter.Settings {
        ChangePrinter.Settings(
            asJSON: json, nulTerminated: nulTerminated, attributes: wanted, isResuming: isResuming,
            tellsResults: tellsResults, connection: connection)
    }
}
