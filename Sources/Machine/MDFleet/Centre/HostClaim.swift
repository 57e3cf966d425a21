package import MDEngine
package import MDPlatform
import MDPolicyCore
import MDPropertyList

/// What a host of a fleet has said last of itself, as its centre keeps it: the status, and what policy asks about it.
package struct HostClaim {
    /// What is known of what policy asks.
    package enum Facts {
        /// The facts, which fit the policy that the last status says.
        case known(HostFacts)
        /// Why nothing is known, as a clause.
        case unknown(String)
    }

    /// The host.
    package let host: FleetHost
    /// The snapshot that it says; `nil` for none.
    package let snapshot: SnapshotNumber?
    /// When anything of it arrived last; `nil` for never.
    package let seen: Timestamp?
    /// What policy asks about it.
    package let facts: Facts

    /// The hosts of a centre, in natural order.
    package static func hosts(of centre: Root) throws(FleetFault) -> [FleetHost] {
        do throws(SystemError) {
            return try centre.names(in: CentreFolder.hosts, directoriesOnly: true).compactMap { FleetHost($0) }.sorted()
        } catch {
            let shown = Printable.escape(centre.display(CentreFolder.hosts))
            throw FleetFault(error.isMissing ? "there is no centre of a fleet here: \(shown) is missing" : "\(error)")
        }
    }

    /// Reads what a centre has of a host.
    package init(_ host: FleetHost, of centre: Root) {
        let folder = HostFolder(centre: centre, host: host)
        let status = folder.status()
        self.host = host
        snapshot = status.flatMap { SnapshotNumber($0) }
        seen = (try? folder.head())?.seen
        facts = HostClaim.facts(host, status, centre)
    }

    private static func facts(_ host: FleetHost, _ status: HostStatus?, _ centre: Root) -> Facts {
        guard let status else { return .unknown("no status has arrived") }
        let facts: HostFacts
        do {
            let bytes = try centre.read(CentreFolder.facts(host), limit: CollectorLimits.mostFactsBytes).bytes
            facts = try HostFacts(reading: bytes)
        } catch let error as HostFactsError {
            return .unknown("the facts do not read here: \(error.position): \(error.message)")
        } catch let error as SystemError {
            return .unknown(error.isMissing ? "no facts have arrived" : error.text)
        } catch {
            return .unknown("\(error)")
        }
        guard facts.policy != nil else { return .unknown("the facts do not say what is in force there") }
        guard let digest = status.policyDigest else {
            return .unknown("the last status says that what is in force is not known there")
        }
        guard facts.policyDigest.hex.utf8.elementsEqual(digest.utf8) else {
            return .unknown("policy has changed there since the last facts, which come at most hourly")
        }
        return .known(facts)
    }
}

extension HostFacts {
    /// The digest of the policy in force, as the host's status has it.
    fileprivate var policyDigest: Digest {
        PolicySet.digest((policy ?? []).lazy.map { ($0.identifier, $0.path, $0.digest) })
    }
}

extension HostClaim {
    /// Whether nothing of the host arrived lately.
    package func isSilent(at now: Timestamp) -> Bool {
        guard let seen else { return true }
        return now.microseconds - seen.microseconds > Int64(HostHead.silentAfter) * 1_000_000
    }
}
