/** The rules of a host's firewall, as input of `iptables-restore`. */
import type { LabHost } from './host.ts'

/** The treatment of packets from one host to another. */
export interface Path {
  /** Share of lost packets, 0 to 1. A share of 1 is a cut. */
  readonly loss: number
  /** True: the host answers the packets of a cut with a refusal. False: it drops them silently. */
  readonly isRefused: boolean
}

/** Drops multicast, so that mDNS does not find the pool before the protocol does. */
const NO_MULTICAST = '-A INPUT -d 224.0.0.0/4 -j DROP'

/**
 * Returns the whole table. `paths`: the treatment of packets from other hosts. `strangers`: the
 * hosts that may not dial this host.
 */
export function tableOf(
  paths: readonly { readonly from: LabHost; readonly path: Path | undefined }[],
  strangers: readonly LabHost[],
): string {
  const lost = paths.flatMap(({ from, path }) => (path === undefined ? [] : lossRules(from, path)))
  const refused = strangers.map(({ address }) => `-A INPUT -p tcp --syn -s ${address} -j DROP`)
  return ['*filter', ':INPUT ACCEPT', NO_MULTICAST, ...lost, ...refused, 'COMMIT', ''].join('\n')
}

function lossRules(from: LabHost, { loss, isRefused }: Path): string[] {
  if (isRefused) return refusal(from)
  const chance = loss === 1 ? '' : `-m statistic --mode random --probability ${loss.toFixed(6)} `
  return loss === 0 ? [] : [`-A INPUT -s ${from.address} ${chance}-j DROP`]
}

/**
 * Answers packets from a host with a reset or an ICMP error, and accepts the same answers from that
 * host.
 */
function refusal({ address }: LabHost): string[] {
  return [
    `-A INPUT -s ${address} -p tcp --tcp-flags RST RST -j ACCEPT`,
    `-A INPUT -s ${address} -p icmp --icmp-type destination-unreachable -j ACCEPT`,
    `-A INPUT -s ${address} -p tcp -j REJECT --reject-with tcp-reset`,
    `-A INPUT -s ${address} -j REJECT`,
  ]
}
