// The limits of the helper.
// SPDX-License-Identifier: Apache-2.0

/// The limits of the helper.
enum SyncLimits {
    /// Connections of callers of `io.gatherd.Sharing`. The unit's LimitNOFILE leaves as many descriptors for files and sessions.
    static let connections = 512
    /// Connections of one caller. Root may use all.
    static let connectionsPerUser = 128
    /// The first pause before another attempt to reach Syncthing or gatherd.
    static let firstPause = Duration.milliseconds(100)
    /// The longest such pause.
    static let longestPause = Duration.seconds(30)
    /// The time that gatherd has to answer a call.
    static let callTime = Duration.seconds(60)
    /// The time that gatherd has to make a container exact for `Attach`. A first crawl of a large tree takes long.
    static let attachTime = Duration.seconds(6 * 3600)
    /// The time without a reply after which gatherd sends `alive`, in milliseconds.
    static let heartbeat: Int64 = 30_000
    /// The time without any reply after which a session ends.
    static let silence = Duration.seconds(120)
    /// The shortest pause between two rounds of requests for the needs of devices.
    static let roundPause = Duration.milliseconds(20)
    /// The pause in relation to the duration of the last round: a round of 20,000 files takes 36-70 ms, so there are at
    /// most five in a second.
    static let roundShare = 4
    /// The longest such pause, if a busy machine made a round long.
    static let longestRoundPause = Duration.seconds(1)
    /// The most paths in one scan. More become their directories, or the folder.
    static let scannedPaths = 200
    /// The most bytes of paths in one scan.
    static let scannedBytes = 128 << 10
    /// The most paths that are compared with Syncthing's database one by one.
    static let comparedPaths = 200
    /// The most paths of a folder whose last change by a device is kept.
    static let savers = 65_536
    /// The most paths of a folder that Syncthing wrote and that gatherd did not report yet.
    static let ownWrites = 65_536
    /// The time that a path which Syncthing wrote waits for its database.
    static let ownWriteTime = Duration.seconds(10)
    /// The most bytes of one report. gatherd accepts 1 MiB.
    static let reportBytes = 512 << 10
    /// The pause between two looks for files that killed processes left. Syncthing removes them after a day. The look at 20,000
    /// directories takes about 0.5 s.
    static let leftSavePause = Duration.seconds(3600)
    /// The most versions in the list of a device's saves. The oldest go. A line has about 100 bytes.
    static let savedVersions = 1000
    /// The most versions of one file in the list that a session adds.
    static let savedVersionsOfFile = 20
    /// The most lists of devices that are read in a folder.
    static let savedLists = 64
    /// The shortest pause between two versions of the list of this device's saves.
    static let savedListPause = Duration.seconds(1)
    /// The pause after a list that could not be written.
    static let failedListPause = Duration.seconds(60)
    /// The bytes of the list that are written each second in the long run.
    static let savedListBytesPerSecond = 16 << 10
    /// The longest file whose contents are compared with the lists, in bytes. Their hash takes about 0.1 s.
    static let hashedBytes = 16 << 20
    /// The newest files of a folder that are looked at when a session begins, since they may have been saved before.
    static let newestFiles = 250
    /// The most files of a folder that wait to be looked at, and the most versions in conflict without an author.
    static let waitingFiles = 1000
    /// The pause between two looks at the room on a disk that was too full for a file.
    static let roomPause = Duration.seconds(2)
    /// The longest pause between two tries of such a file.
    static let longestRoomPause = Duration.seconds(3600)
    /// The files that are evicted together. A pause follows their patterns.
    static let evictedAtOnce = 1000
    /// The pause in which two devices hear that each evicts its copy. Syncthing announces a change within 0.25 s.
    static let evictionPause = Duration.seconds(2)
    /// The seconds by which a file may be newer than the clock here. Clocks without a time server drift some seconds a week.
    static let clockTolerance = 120
    /// The most missing items of a folder that are looked at one by one, to leave out the helpers' files.
    static let countedItems: Int64 = 1000
    /// The shortest pause before everything is compared, after something was reported.
    static let comparisonPause = Duration.seconds(10)
    /// The pause in relation to the duration of the last comparison.
    static let comparisonShare = 100
    /// The shortest time between two replies of `Status` with `more`.
    static let statusPause = Duration.seconds(1)
}
