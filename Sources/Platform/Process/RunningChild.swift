import Glibc

/// A child of this process that has not answered yet.
final class RunningChild {
    /// Which of several it is.
    let index: Int
    /// Its process id.
    private let id: Int32
    /// What it answers through.
    let pipe: Pipe
    /// When it has to be done, in monotonic microseconds.
    let deadline: Int64
    /// Whom it acts as.
    private let shown: String
    /// What it has answered so far.
    private var output: [UInt8] = []

    /// Takes over a child that was just started.
    init(index: Int, id: Int32, pipe: Pipe, deadline: Int64, shown: String) {
        (self.index, self.id, self.pipe) = (index, id, pipe)
        (self.deadline, self.shown) = (deadline, shown)
    }

    /// Waits until one of some children has something to say, or has no time left.
    static func wait(for children: [RunningChild]) {
        guard let deadline = children.map(\.deadline).min() else { return }
        var requests = children.map { pollfd(fd: $0.pipe.reading, events: Int16(POLLIN), revents: 0) }
        let rest = max(deadline - Clock.monotonicMicroseconds(), 0)
        // The array outlives the call. Rounding up keeps the last millisecond from being polled in a circle; an
        // interrupted call is made again by the caller's next round.
        _ = unsafe poll(&requests, nfds_t(requests.count), Int32(clamping: (rest + 999) / 1_000))
    }

    /// Takes what the child has said, and ends it where it has no time left.
    ///
    /// - Parameter limit: the most bytes of its answer.
    /// - Returns: its answer, or why there is none; `nil` where it is not done.
    func take(limit: Int) -> Result<[UInt8], SystemError>? {
        do throws(SystemError) {
            while try pipe.isReady(shown: shown) {
                guard let part = try pipe.readSome(operation: "act as", shown: shown) else { continue }
                if part.isEmpty {
                    let status = try Child.wait(for: id, deadline: deadline, shown: shown)
                    return ForkedChild.answer(output, status: status, shown: shown)
                }
                output += part
                if output.count > limit {
                    throw SystemError(
                        operation: "act as", path: shown, code: EFBIG, reason: "it prints more than \(limit) bytes")
                }
                // A child that never stops writing has no more time than others.
                if deadline <= Clock.monotonicMicroseconds() { break }
            }
            if deadline <= Clock.monotonicMicroseconds() { throw Child.timeout("act as", shown) }
            return nil
        } catch {
            Child.kill(id)
            return .failure(error)
        }
    }
}
