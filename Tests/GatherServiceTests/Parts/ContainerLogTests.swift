// Each container has the lines of the log that help, and no more.
// SPDX-License-Identifier: Apache-2.0

import FileWatching
import LinuxSystem
import Logging
import Testing

@testable import GatherService

struct ContainerLogTests {
    private let recorder = LogRecorder(.info)
    private let record: ContainerRecord
    private let containers: ContainerSet

    init() throws {
        record = ContainerRecord(
            number: 1, configuration: try ContainerConfiguration(identifier: "a", path: "/none", origin: .runtime))
        var containers = ContainerSet()
        containers.insert(record)
        self.containers = containers
    }

    private func log(_ state: WatchState, isWatching: Bool = true) -> ContainerLog {
        let recorder = recorder
        return ContainerLog(
            logger: Logger(label: "test", factory: { _ in recorder }), containers: containers, isWatching: isWatching,
            state: { _ in state })
    }

    @Test(
        arguments: [
            (.live, "is watched"), (.crawling, "is being read"), (.verifying, "is being compared"),
            (.unavailable(reason: "it is gone"), "is unavailable: it is gone"),
        ] as [(WatchState, String)])
    func theBeginningIsToldOnce(state: WatchState, words: String) {
        for _ in 0..<2 { log(state).noteStart(of: record) }
        #expect(recorder.all.count == 1)
        #expect(recorder.all.first?.hasPrefix("container 'a' at /none \(words)") == true)
    }

    @Test func aLineOfTheWatcherTellsOfTheBeginning() {
        log(.live).note(.containerFound(container: 1))
        log(.live).noteStart(of: record)
        log(.live).note(.containerFound(container: 1))
        #expect(recorder.all.count == 2)
        #expect(recorder.all.first?.contains("is being read") == true)
        #expect(recorder.all.last?.contains("is available and is being read") == true)
    }

    @Test func aContainerThatIsGoneHasNoLine() {
        log(.live).note(.crawled(container: 2, directories: 3))
        #expect(recorder.all.isEmpty)
    }

    @Test(arguments: [true, false])
    func soManyUnreadableDirectoriesAreNamed(isWatching: Bool) {
        for number in 1...25 {
            log(.live, isWatching: isWatching).note(
                .unreadable(container: 1, path: Array("d\(number)".utf8), error: .noAccess))
        }
        let lines = recorder.all("unreadable-directory")
        #expect(lines.count == 20 && lines.allSatisfy { $0.contains("tries again") == isWatching })
        #expect(lines.first?.contains("/none/d1 ") == true && lines.last?.contains("/none/d20 ") == true)
        #expect(lines.map { $0.contains("further ones") } == Array(repeating: false, count: 19) + [true])
    }

    @Test func watchesAreToldWhereSomeAreMissing() {
        log(.live).note(.watchesChecked(missing: 0, of: 7))
        #expect(recorder.all.isEmpty)
        log(.live).note(.watchesChecked(missing: 2, of: 7))
        #expect(recorder.all("watches-missing").first?.hasPrefix("2 of 7 directories") == true)
    }

    @Test func ownersOfMissingAccessListsAreNamed() {
        for (owners, words) in [([4], "user 4 may"), ([6, 5, 4, 3, 2, 1], "users 1, 2, 3, 4, 5 and others")] {
            record.accessLists.note(ownersAbove: Set(owners.map { UInt32($0) }))
            _ = record.accessLists.update(isIndexLacking: false)
            log(.live).noteAccessLists(of: record)
            #expect(recorder.all.last?.contains(words) == true, "\(recorder.all)")
        }
        record.accessLists.note(ownersAbove: [])
        _ = record.accessLists.update(isIndexLacking: false)
        log(.live).noteAccessLists(of: record)
        #expect(recorder.all("access-lists-missing").last?.contains("again") == true)
    }
}
