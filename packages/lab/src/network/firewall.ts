/** The rules of a host's firewall (iptables), as lines of a table. */
import type { LabHost } from './host.ts'

/** The treatment of packets from one host to another. */
export interface Path {
  /** Share of lost packets, 0 to 1; 1 is a cut. */
  readonly loss: number
  /** A firewall answers the packets of a cut, instead of dropping them silently. */
  readonly isRefused: boolean
}

/** Drops multicast, so that the protocol and not mDNS finds the pool again. */
const NO_MULTICAST = '-A INPUT -d 224.0.0.0/4 -j DROP'

/** The whole table: paths from other hosts, and hosts that may not dial this one. */
export function tableOf(
  paths: readonly { readonly from: LabHost; readonly faults: readonly Path[] }[],
  strangers: readonly LabHost[],
): string {
  const lost = paths.flatMap(({ from, faults }) => lossRules(from, faults))
  const refused = strangers.map(({ address }) => `-A INPUT -p tcp --syn -s ${address} -j DROP`)
  return ['*filter', ':INPUT ACCEPT', NO_MULTICAST, ...lost, ...refused, 'COMMIT', ''].join('\n')
}

/** Faults of one path add up. */
function lossRules(from: LabHost, faults: readonly Path[]): string[] {
  const kept = faults.reduce((share, { loss, isRefused }) => (isRefused ? share : share * (1 - loss)), 1)
  const chance = kept === 0 ? '' : `-m statistic --mode random --probability ${(1 - kept).toFixed(6)} `
  const drop = kept === 1 ? [] : [`-A INPUT -s ${from.address} ${chance}-j DROP`]
  return faults.some(({ isRefused }) => isRefused) ? [...drop, ...refusal(from)] : drop
}

/** Answers packets from a host with a reset or an ICMP error, and accepts such answers from it. */
function refusal({ address }: LabHost): string[] {
  return [
    `-A INPUT -s ${address} -p tcp --tcp-flags RST RST -j ACCEPT`,
    `-A INPUT -s ${address} -p icmp --icmp-type destination-unreachable -j ACCEPT`,
    `-A INPUT -s ${address} -p tcp -j REJECT --reject-with tcp-reset`,
    `-A INPUT -s ${address} -j REJECT`,
  ]
}
