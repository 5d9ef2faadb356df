/**
 * The hosts and the faults between them. Each host is a network namespace with its own interface.
 * All hosts are on one wire, or far from each other.
 *
 * The firewall of the receiving host drops every lost or cut packet on arrival. The sender's own
 * firewall drops none, because the kernel would report that to the sender. No real network does
 * that.
 */
import type { Dialable } from '@jel/simulator'
import type { Distances } from './distances.ts'
import { tableOf, type Path } from './firewall.ts'
import { deviceCounter } from './loopback.ts'
import { hardware, on, type LabHost } from './host.ts'
import type { Medium } from './medium.ts'
import { run } from './tools.ts'
import { Tunnels } from './tunnels.ts'
import { Wire } from './wire.ts'
import { runId } from './namespaces.ts'

/** The column of sent bytes in /proc/net/dev. */
const SENT = 8
const CUT: Path = { loss: 1, isRefused: false }

export class LabNetwork {
  readonly hosts: readonly LabHost[]
  readonly #distances: Distances | undefined
  readonly #medium: Medium
  #shape: (from: LabHost, to: LabHost) => Path | undefined = () => undefined
  /** The current rules of each firewall. */
  readonly #rules = new Map<LabHost, string>()
  readonly #addressesGiven = new Map<LabHost, number>()

  /**
   * `distances`: undefined puts all hosts on one wire. `sites`: index of each host's site. `seed`:
   * for the random part of the delays.
   */
  constructor(
    hosts: number,
    distances?: Distances,
    { sites = [], seed = 1 }: { readonly sites?: readonly number[]; readonly seed?: number } = {},
  ) {
    this.#distances = distances
    this.#medium = distances === undefined ? new Wire() : new Tunnels(distances, hosts, seed)
    this.hosts = Array.from({ length: hosts }, (_, index) => connect(index + 1, this.#medium))
    for (const [index, host] of this.hosts.entries()) {
      host.site = sites[index] ?? 0
      this.#medium.locate(host, host.site)
    }
    for (const host of this.hosts) this.#introduce(host, this.hosts)
    this.#filter(this.hosts)
  }

  /** Resolves when the network carries packets. */
  get ready(): Promise<void> {
    return this.#medium.ready
  }

  /** Moves the host to the site with this index. */
  locate(host: LabHost, site: number): void {
    if (host.site === site) return
    host.site = site
    this.#medium.locate(host, site)
    if (this.#distances?.sites.some(({ dialable }) => dialable !== true) === true) this.#filter(this.hosts)
  }

  /** Hides a host: afterwards it can dial others, but others can't dial it. */
  hide(host: LabHost): void {
    host.hidden = true
    this.#filter([host])
  }

  /** Returns the hosts that may dial this host. */
  dialable(host: LabHost): Dialable {
    return host.hidden ? false : (this.#distances?.sites[host.site]?.dialable ?? true)
  }

  mayDial(from: LabHost, to: LabHost): boolean {
    const dialable = this.dialable(to)
    return from === to || (dialable === 'site' ? from.site === to.site : dialable)
  }

  /** Cuts all packets between the groups. Returns a function that ends the cut. */
  part(...groups: (readonly LabHost[])[]): () => void {
    const sideOf = (host: LabHost): number => groups.findIndex((group) => group.includes(host))
    this.shape((from, to) => {
      const [one, other] = [sideOf(from), sideOf(to)]
      return one >= 0 && other >= 0 && one !== other ? CUT : undefined
    })
    return () => this.heal()
  }

  /** Ends all losses, refusals and cuts. */
  heal(): void {
    this.shape(() => undefined)
  }

  /** Sets the treatment of packets between each two hosts; undefined: all packets arrive. */
  shape(pathOf: (from: LabHost, to: LabHost) => Path | undefined): void {
    this.#shape = pathOf
    this.#filter(this.hosts)
  }

  /**
   * Unplugs a host's cable, or plugs it in again. Unlike with a cut, the host's kernel notices
   * this.
   */
  plug(host: LabHost, state: 'up' | 'down'): void {
    this.#medium.plug(host, state)
  }

  /** Limits both directions of a host's link, in bits a second; undefined removes the limit. */
  narrow(host: LabHost, bits: number | undefined): void {
    this.#medium.narrow(host, bits)
  }

  /** Removes a host's address. {@link readdress} assigns another address. */
  unaddress(host: LabHost): void {
    on(host, 'ip', ['addr', 'flush', 'dev', 'eth0'])
  }

  /** Replaces a host's address, like a laptop that changes networks. */
  readdress(host: LabHost): void {
    const turn = (this.#addressesGiven.get(host) ?? 0) + 1
    this.#addressesGiven.set(host, turn)
    host.address = addressOf(host.number, turn)
    // Remove the old address first: its later removal would also remove the new address.
    this.unaddress(host)
    on(host, 'ip', ['addr', 'add', `${host.address}/16`, 'dev', 'eth0'])
    // The kernel of a host forgets all neighbours with the removal of the host's last address.
    this.#introduce(host, this.hosts)
    for (const other of this.hosts) this.#introduce(other, [host])
    this.#filter(this.hosts)
  }

  /** Bytes that a host has sent to other hosts or to itself so far, headers included. */
  bytes(host: LabHost): number {
    const devices = on(host, 'cat', ['/proc/thread-self/net/dev'])
    return deviceCounter(devices, 'eth0', SENT) + deviceCounter(devices, 'lo', SENT)
  }

  /** Number of packets lost without a planned fault, because the laboratory itself was too slow. */
  lost(): number {
    return this.#medium.lost()
  }

  /**
   * Tells a host the hardware addresses of other hosts. Addresses that kernels find by ARP go into
   * one table of 1,024 entries for all namespaces of a machine (`gc_thresh3`). A hundred hosts
   * overflow that table. Then packets get lost.
   */
  #introduce(host: LabHost, others: readonly LabHost[]): void {
    const lines = others
      .filter((other) => other !== host)
      .map((other) => `neigh replace ${other.address} lladdr ${hardware(other)} dev eth0 nud permanent\n`)
    on(host, 'ip', ['-batch', '-'], lines.join(''))
  }

  /** Updates the firewalls of these hosts. */
  #filter(hosts: readonly LabHost[]): void {
    for (const host of hosts) {
      const rules = tableOf(
        this.hosts.map((from) => ({ from, path: this.#shape(from, host) })),
        this.hosts.filter((from) => !this.mayDial(from, host)),
      )
      if (this.#rules.get(host) === rules) continue
      on(host, 'iptables-restore', [], rules)
      this.#rules.set(host, rules)
    }
  }
}

/** Returns a private address. It exists only inside the laboratory's namespaces. */
function addressOf(host: number, turn: number): string {
  return `10.77.${turn}.${host}`
}

function connect(number: number, medium: Medium): LabHost {
  const host = { number, name: `jel${runId()}-h${number}`, address: addressOf(number, 0), site: 0, hidden: false }
  const inside = ['-n', host.name]
  run('ip', ['netns', 'add', host.name])
  medium.attach(host)
  run('ip', [...inside, 'addr', 'add', `${host.address}/16`, 'dev', 'eth0'])
  for (const device of ['lo', 'eth0']) {
    // These limits make packets as small as on a wire. Otherwise a kernel sends 64 KB as one
    // packet, or merges packets that arrive together. Then one lost packet stands for forty.
    run('ip', [...inside, 'link', 'set', device, 'mtu', '1500', 'gso_max_segs', '1', 'gro_max_size', '1500', 'up'])
  }
  return host
}
