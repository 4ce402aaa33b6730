// Daemons of other machines, through ssh.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatherKit
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .needsRoot("sshd", if: RemoteMachines.arePossible))
struct RemoteHostTests {
    // MARK: One machine

    @Test func oneMachineAnswersAsThisOneDoes() async throws {
        let machines = try await RemoteMachines("attic")
        let box = try machines["attic"].box
        for name in ["a.txt", "b.txt", "c d.txt"] { try Change.write("1", to: "\(box)/\(name)") }

        let found = await machines.gather("-H", "attic", "find", "name ENDSWITH '.txt'")
        #expect(found.lines.sorted() == ["a.txt", "b.txt", "c d.txt"].map { "\(box)/\($0)" })
        #expect(found.status == 0 && found.errors == "", "\(found.errors)")
        let count = await machines.gather("count", "", "--host", "root@attic")
        #expect(count.text == "3\n" && count.status == 0, "\(count.errors)")
        let below = await machines.gather("--host=attic", "count", "", "--in", box)
        #expect(below.text == "3\n" && below.status == 0, "\(below.errors)")
        let values = await machines.gather("-Hattic", "values", "fileExtension")
        #expect(values.text == "3\ttxt\n" && values.status == 0, "\(values.errors)")
        let status = await machines.gather("-H", "attic", "status", "--json")
        let object = try JSONSerialization.jsonObject(with: Data(status.output)) as? [String: Any]
        #expect(object?["items"] as? Int == 3)
        #expect(object?["host"] == nil)
    }

    @Test func clocksOfAMachineGoOn() async throws {
        let machines = try await RemoteMachines("attic")
        let box = try machines["attic"].box
        let clock = try #require(await machines.gather("-H", "attic", "clock").lines.first)
        try Change.write("", to: box + "/new")
        let changes = await machines.gather("-H", "attic", "changes", "--since", clock, "")
        #expect(changes.lines == ["+ \(box)/new"], "\(changes.errors)")
    }

    @Test func libraryAsksAnotherMachine() async throws {
        let machines = try await RemoteMachines("attic")
        try Change.write("", to: try machines["attic"].box + "/a")
        let host = try #require(RemoteHost("attic"))
        let client = GatherClient(socket: DaemonSocket(host: host, program: machines.program))
        #expect(try await client.count("").count == 1)
        #expect(try await client.find("name == 'a'").items.map(\.name) == ["a"])
        let absent = try #require(RemoteHost("away"))
        let away = GatherClient(socket: DaemonSocket(host: absent, program: machines.program))
        await #expect(throws: GatherError.self) { try await away.count("") }
    }

    // MARK: Errors

    @Test func machineThatIsAwayIsNamedWithTheReason() async throws {
        let machines = try await RemoteMachines("attic")
        let away = await machines.gather("-H", "away", "count", "")
        #expect(away.status == 69)
        #expect(away.errors.hasPrefix("gather: away: the machine cannot be reached: "), "\(away.errors)")
        #expect(!away.errors.contains("has ended"), "\(away.errors)")
        // The message of the bridge over there.
        await (try machines["attic"]).kill()
        let dead = await machines.gather("-H", "attic", "count", "")
        #expect(dead.status == 69)
        #expect(
            dead.errors.hasPrefix(
                "gather: attic: the machine answers, but its gatherd does not: gatherd cannot be reached at "),
            "\(dead.errors)")
        let both = await machines.gather("-H", "attic", "-H", "away", "count", "")
        #expect(both.status == 69)
        #expect(both.errors.contains("gather: attic: the machine answers, but its gatherd does not: "))
        #expect(both.errors.contains("gather: away: the machine cannot be reached: "), "\(both.errors)")

        let missing = await ChildProcess(
            .gather, ["-H", "attic", "count", ""], environment: ["GATHER_SSH": "/no/such/program"]
        ).result()
        #expect(missing.status == 69)
        #expect(missing.errors.contains("/no/such/program cannot be run: No such file"), "\(missing.errors)")
    }

    @Test func faultOfAPredicateIsToldOnce() async throws {
        let machines = try await RemoteMachines("attic", "cellar")
        for command in ["find", "count"] {
            let result = await machines.gather("-H", "attic", "-H", "cellar", command, "name ==")
            #expect(result.status == 2)
            #expect(result.errors.hasPrefix("gather: attic, cellar: "), "\(result.errors)")
            #expect(result.errors.components(separatedBy: "gather: ").count == 2, "\(result.errors)")
        }
    }

    /// Commands in a loop of a shell share its standard input, and ssh(1) reads all of it if it may.
    @Test func standardInputIsLeftToOthers() async throws {
        let machines = try await RemoteMachines("attic", "cellar")
        let loop = """
            while read -r line; do
                "$0" -H attic count "" || exit
                "$0" -H attic -H cellar find "" || exit
                echo "$line"
            done
            """
        let result = await ChildProcess(
            path: "/bin/sh", ["-c", loop, Product.gather.path], environment: machines.environment,
            input: "one\ntwo\nthree\n"
        ).result()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.lines == ["0", "one", "0", "two", "0", "three"])
    }

    // MARK: Several machines

    /// Writes files of 1 to 300 bytes, the odd sizes to one machine and the even ones to the other.
    private func fill(_ machines: RemoteMachines) throws {
        for size in 1...300 {
            let box = try machines[size % 2 == 1 ? "attic" : "cellar"].box
            try Change.write(String(repeating: "x", count: size), to: "\(box)/f\(size)")
        }
    }

    @Test func answersAreMergedInOrder() async throws {
        let machines = try await RemoteMachines("attic", "cellar")
        try fill(machines)
        func path(_ size: Int) throws -> String {
            let name = size % 2 == 1 ? "attic" : "cellar"
            return "\(name):\(try machines[name].box)/f\(size)"
        }
        let up = await machines.gather("-H", "attic", "-H", "cellar", "find", "", "--sort", "size")
        #expect(up.lines == (try (1...300).map(path)), "\(up.errors)")
        #expect(up.status == 0 && up.errors == "")
        let down = await machines.gather(
            "-H", "attic", "-H", "cellar", "find", "", "--sort", "-size", "--limit", "5")
        #expect(down.lines == (try (296...300).reversed().map(path)), "\(down.errors)")
        let names = await machines.gather(
            "-H", "cellar", "-H", "attic", "find", "size < 13", "--sort", "name", "--attributes", "name,size")
        #expect(names.lines == (1...12).map { "\($0 % 2 == 1 ? "attic" : "cellar")\tf\($0)\t\($0)" }, "\(names.errors)")

        let all = await machines.gather("-H", "attic", "-H", "cellar", "find", "")
        #expect(all.lines.sorted() == (try (1...300).map(path)).sorted(), "\(all.errors)")
        let some = await machines.gather("-H", "attic", "-H", "cellar", "find", "", "--limit", "7")
        #expect(some.lines.count == 7 && some.status == 0, "\(some.errors)")

        let objects = await machines.gather(
            "-H", "attic", "-H", "cellar", "find", "size < 3", "--sort", "size", "--json", "--attributes", "size")
        let parsed = try objects.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(parsed.map { $0["host"] as? String } == ["attic", "cellar"])
        #expect(parsed.map { $0["size"] as? Int } == [1, 2])
    }

    @Test func countsAndValuesNameTheirMachines() async throws {
        let machines = try await RemoteMachines("attic", "cellar")
        try fill(machines)
        try Change.write("", to: try machines["cellar"].box + "/a.txt")
        let file = try machines["attic"].directory + "/hosts"
        try Change.write("# machines\nattic  first\n\ncellar\nattic\n", to: file)
        let count = await machines.gather("--hosts-from", file, "count", "size > 100")
        #expect(count.lines == ["attic\t100", "cellar\t100"], "\(count.errors)")
        // As an editor on Windows saves it.
        let windows = file + ".windows"
        try Change.write("\u{FEFF}attic  first\r\n\r\ncellar\r\n", to: windows)
        let same = await machines.gather("--hosts-from", windows, "count", "size > 100")
        #expect(same.lines == count.lines, "\(same.errors)")
        let values = await machines.gather("--hosts-from", file, "values", "fileExtension", "")
        #expect(values.lines == ["attic\t150\t", "cellar\t150\t", "cellar\t1\ttxt"], "\(values.errors)")
        let found = await machines.gather("--hosts-from", file, "find", "name == 'a.txt'", "--quiet")
        #expect(found.status == 0 && found.text == "", "\(found.errors)")
        let missing = await machines.gather("--hosts-from", file, "find", "name == 'b.txt'", "--quiet")
        #expect(missing.status == 1, "\(missing.errors)")
        // The headings of an inventory are no machines, nor are variables and the names of groups.
        let inventory = try machines["attic"].directory + "/inventory"
        try Change.write(
            "[upper]\nattic ansible_host=10.0.0.1\n\n[upper:vars]\nansible_user=ada\n[lower]\ncellar\n[all:children]\nupper\nlower\n",
            to: inventory)
        let listed = await machines.gather("--hosts-from", inventory, "count", "size > 100")
        #expect(listed.lines == ["attic\t100", "cellar\t100"], "\(listed.errors)")
        let status = await machines.gather("--hosts-from", file, "status", "--json")
        let hosts = try status.lines.map { line in
            (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["host"] as? String
        }
        #expect(hosts == ["attic", "cellar"], "\(status.errors)")
    }

    @Test func theOthersAnswerWhileOneIsAway() async throws {
        let machines = try await RemoteMachines("attic")
        try Change.write("", to: try machines["attic"].box + "/a")
        for sorting in [["--sort", "name"], []] {
            let result = await ChildProcess(
                .gather, ["-H", "away", "-H", "attic", "find", ""] + sorting, environment: machines.environment
            ).result()
            #expect(result.lines == ["attic:\(try machines["attic"].box)/a"])
            #expect(result.status == 69)
            #expect(result.errors.hasPrefix("gather: away: "), "\(result.errors)")
        }
        let exact = await machines.gather("-H", "away", "-H", "attic", "count", "", "--require-exact")
        #expect(exact.lines == ["attic\t1"] && exact.status == 3)
    }

    @Test func conflictsOfSeveralMachines() async throws {
        let machines = try await RemoteMachines("attic", "cellar")
        let name = "n.sync-conflict-20260102-030405-ABCDEFG.txt"
        let (attic, cellar) = (try machines["attic"].box, try machines["cellar"].box)
        for box in [attic, cellar] {
            try Change.write("1", to: "\(box)/n.txt")
            try Change.write("2", to: "\(box)/\(name)")
        }
        try Change.extendedAttribute("user.gather.device", "HIJKLMN phone", of: "\(attic)/\(name)")
        let lines = await machines.gather("-H", "attic", "-H", "cellar", "conflicts")
        #expect(lines.lines == ["attic:\(attic)/\(name)", "cellar:\(cellar)/\(name)"], "\(lines.errors)")
        let originals = await machines.gather("-H", "attic", "-H", "cellar", "conflicts", "--originals")
        #expect(originals.lines == ["attic:\(attic)/n.txt", "cellar:\(cellar)/n.txt"], "\(originals.errors)")
        let objects = await machines.gather("-H", "attic", "-H", "cellar", "conflicts", "--json")
        let authors = try objects.lines.map { line in
            (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["authorName"] as? String
        }
        #expect(authors == ["phone", nil], "\(objects.text)")
    }

    // MARK: Live

    @Test func watchGoesOnAfterARestartOfOneDaemon() async throws {
        let machines = try await RemoteMachines("attic", "cellar")
        let (attic, cellar) = (try machines["attic"], try machines["cellar"])
        try Change.write("", to: attic.box + "/a")
        try Change.write("", to: cellar.box + "/c")
        let watch = machines.start("-H", "attic", "-H", "cellar", "watch", "kind == 'file'")
        var first: Set<String> = []
        for _ in 0..<2 { first.insert(try #require(await watch.nextLine())) }
        #expect(first == ["  attic:\(attic.box)/a", "  cellar:\(cellar.box)/c"])

        try Change.write("", to: cellar.box + "/d")
        #expect(await watch.nextLine() == "+ cellar:\(cellar.box)/d")
        try await attic.untilSaved()
        await attic.kill()
        try Change.write("", to: attic.box + "/b")
        try Change.remove(cellar.box + "/c")
        #expect(await watch.nextLine() == "- cellar:\(cellar.box)/c")
        try await attic.restart()
        #expect(await watch.nextLine() == "+ attic:\(attic.box)/b")
        try Change.rename(attic.box + "/b", attic.box + "/e")
        #expect(await watch.nextLine() == "~ attic:\(attic.box)/b -> attic:\(attic.box)/e")
        watch.kill(SIGINT)
        let result = await watch.result()
        #expect(result.status == 130)
        #expect(result.errors.contains("gather: attic: "), "\(result.errors)")
    }

    @Test func watchWaitsForAMachineThatIsAway() async throws {
        let machines = try await RemoteMachines("attic", "cellar")
        let (attic, cellar) = (try machines["attic"], try machines["cellar"])
        await cellar.kill()
        // Standard error, too, so that the test waits for the message.
        let watch = ChildProcess(
            path: "/bin/sh",
            ["-c", #"exec "$0" "$@" 2>&1"#, Product.gather.path]
                + ["-H", "cellar", "-H", "attic", "watch", "", "--changes", "--json"],
            environment: machines.environment)
        var lines: [String] = []
        for _ in 0..<3 { lines.append(try #require(await watch.nextLine())) }
        #expect(lines.filter { $0.hasPrefix(#"{"host":"attic","event":""#) }.count == 2, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("gather: cellar: ") && $0.hasSuffix("; trying again") }, "\(lines)")
        try await cellar.restart()
        let started = try #require(await watch.nextLine())
        #expect(started.hasPrefix(#"{"host":"cellar","event":"started""#), "\(started)")
        _ = await watch.nextLine()
        try Change.write("", to: cellar.box + "/c")
        let added = try #require(await watch.nextLine())
        #expect(added.hasPrefix(#"{"host":"cellar","event":"added""#), "\(added)")
        try Change.write("", to: attic.box + "/a")
        #expect(await watch.nextLine()?.hasPrefix(#"{"host":"#) == true)
        watch.kill(SIGINT)
        #expect(await watch.result().status == 130)
    }

    @Test func watchEndsAfterTheFirstChangeOfAny() async throws {
        let machines = try await RemoteMachines("attic", "cellar")
        let watch = machines.start("-H", "cellar", "-H", "attic", "watch", "", "--changes", "--once", "--json")
        for _ in 0..<4 { _ = await watch.nextLine() }
        try Change.write("", to: try machines["attic"].box + "/a")
        #expect(await watch.result().status == 0)
        let late = await machines.gather(
            "-H", "attic", "-H", "away", "watch", "name == 'none'", "--once", "--timeout", "1s")
        #expect(late.status == 124, "\(late.errors)")
    }

    @Test func watchSaysWhichMachineRefusesTheQuery() async throws {
        let machines = try await RemoteMachines("attic", "cellar")
        let (attic, cellar) = (try machines["attic"], try machines["cellar"])
        try Change.write("", to: cellar.box + "/c")
        var seconds = 1
        var result: ChildProcess.Result
        // The other machine goes on, so a time ends the watch. A busy machine may need more of it for two logins.
        repeat {
            result = await machines.gather(
                "-H", "attic", "-H", "cellar", "watch", "", "--in", attic.box, "--changes", "--timeout", "\(seconds)s")
            seconds *= 2
        } while result.errors.isEmpty && seconds < Patience.seconds
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.errors.hasPrefix("gather: cellar: no container holds the directory"), "\(result.errors)")
    }

    /// A command that ends leaves nothing behind on the other machine, though nothing is told there any more.
    @Test(arguments: [SIGINT, SIGKILL]) func endOfACommandEndsTheOtherSide(_ signal: Int32) async throws {
        let machines = try await RemoteMachines("attic")
        let attic = try machines["attic"]
        let watch = machines.start("-H", "attic", "watch", "name == 'none'", "--json")
        for _ in 0..<2 { _ = await watch.nextLine() }
        #expect(try await attic.client.status().liveQueries == 1)
        watch.kill(signal)
        _ = await watch.result()
        while try await attic.client.status().liveQueries > 0 { await Task.yield() }
    }

    @Test func scopesOfSeveralMachinesNeedAContainer() async throws {
        let result = await run(.gather, "-H", "attic", "-H", "cellar", "count", "", "--scope", "documents")
        #expect(result.status == 64 && result.errors.contains("--scope goes with --container"), "\(result.errors)")
    }
}
