import MDEngine
package import MDPlatform
package import MDPrograms
import MDPropertyList

/// A program that is to be asked what is in force in it.
package struct ProgramInquiry: Sendable {
    package let program: any Program
    /// What should be in force; empty if policy says nothing that the program reads.
    package let policy: ProgramPolicy
    /// The users that the policy is for.
    package let audience: Audience

    /// How a program answered.
    package enum Outcome: Sendable {
        case testimony(Testimony)
        case notInstalled
        /// The program cannot be asked in any way.
        case noWitness
        /// Why it could not be asked, as a clause whose subject is the program.
        case failed(String)
    }

    /// How long a program may take, in seconds; a browser starts in one to four.
    package static let seconds = 30

    /// Asks the program, with the rights that this process has.
    package func ask() -> Outcome {
        guard program.isInstalled(in: .system) else { return .notInstalled }
        guard let witness = program.witness else { return .noWitness }
        do throws(WitnessError) {
            let place = try WitnessPlace.make(seconds: ProgramInquiry.seconds)
            let result: Result<Testimony, WitnessError>
            do throws(WitnessError) {
                result = .success(try witness.testify(about: policy, for: audience, at: place))
            } catch {
                result = .failure(error)
            }
            try place.remove()
            return .testimony(try result.get())
        } catch {
            return .failed(error.description)
        }
    }
}

extension MachinePrograms {
    /// What to ask some programs.
    ///
    /// - Parameters:
    ///   - programs: the programs; `nil` for those that policy speaks of.
    ///   - account: the user whose policy counts; `nil` for what holds for everybody.
    /// - Returns: the questions, in the order of the catalog.
    package func inquiries(about programs: [any Program]?, for account: Account?) -> [ProgramInquiry] {
        let plan = plan(for: account.map { [$0] } ?? [])
        let audience = account.map { Audience.user(ProgramUser(name: $0.name, uid: $0.uid)) } ?? .everybody
        return ProgramCatalog.all.compactMap { program in
            let name = Key(program.name)
            let part =
                account.flatMap { plan.part(of: program, for: $0.name) }
                ?? plan.parts.first { Key($0.program.name) == name && $0.audiences == [.everybody] }
            if let programs {
                guard programs.contains(where: { Key($0.name) == name }) else { return nil }
            } else if part?.policy.isEmpty ?? true {
                return nil
            }
            return ProgramInquiry(
                program: part?.program ?? program, policy: part?.policy ?? ProgramPolicy([]), audience: audience)
        }
    }
}
