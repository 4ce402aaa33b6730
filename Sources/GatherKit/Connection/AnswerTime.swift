// The time after which a daemon counts as one that does not answer.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Varlink

/// The time that a daemon may be silent. A question may take longer: the daemon then still answers an easy one, such as its
/// version. It counts as one that does not answer if it has not done that either.
struct AnswerTime: Sendable, CustomStringConvertible {
    /// The time without a setting, in seconds.
    private static let seconds = 10
    /// The longest time, in seconds.
    private static let mostSeconds = 86_400

    /// The time of this process, from the variable `GATHER_ANSWER_SECONDS`. A value that is no such number counts as none.
    static let usual = AnswerTime(seconds: getenv("GATHER_ANSWER_SECONDS").flatMap { Int(String(cString: $0)) })

    /// The whole time.
    let whole: Duration

    /// Makes the time from a setting.
    init(seconds: Int?) {
        let seconds = seconds.flatMap { 1...AnswerTime.mostSeconds ~= $0 ? $0 : nil } ?? AnswerTime.seconds
        whole = .seconds(seconds)
    }

    /// The question whether the service at a socket lives. It is asked after half of the time, and has the other half.
    func life(of path: String) -> VarlinkLife { VarlinkLife(path: path, silence: whole / 2, answer: whole / 2) }

    var description: String { "\(whole.components.seconds) s" }
}
