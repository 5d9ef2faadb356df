/**
 * The hosts and the faults between them. Each host is a network namespace with an interface of its
 * own. All hosts are on one wire, or far from each other.
 *
 * Every lost packet is lost on arrival, by the receiving host's firewall, loss and cut alike. A
 * kernel reports a packet that the sender's own firewall drops to the sender, which no real network
 * does.
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

/** The column of sent bytes. */
const SENT = 8
const CUT: Path = { loss: 1, isRefused: false }

export class LabNetwork {
  readonly hosts: readonly LabHost[]
  readonly #distances: Distances | undefined
  readonly #medium: Medium
  #shape: (from: LabHost, to: LabHost) => Path | undefined = () => undefined
  /** The present rules of each firewall. */
  readonly #rules = new Map<LabHost, string>()
  readonly #addressesGiven = new Map<LabHost, number>()

  /**
   * Without distances, all hosts are on one wire. `sites`: numbers of the hosts' sites; the seed is
   * that of the delays.
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

  /** Resolves when packets flow. */
  get ready(): Promise<void> {
    return this.#medium.ready
  }

  /** Moves the host to the site of this number, instead of the planned one. */
  locate(host: LabHost, site: number): void {
    if (host.site === site) return
    host.site = site
    this.#medium.locate(host, site)
    if (this.#distances?.sites.some(({ dialable }) => dialable !== true) === true) this.#filter(this.hosts)
  }

  /** Hides a host: it can dial, but can't be dialled. */
  hide(host: LabHost): void {
    host.hidden = true
    this.#filter([host])
  }

  /** The hosts that a host's firewall allows to dial it. */
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

  /** Sets the treatment of packets from each host to each; undefined: all arrive. */
  shape(pathOf: (from: LabHost, to: LabHost) => Path | undefined): void {
    this.#shape = pathOf
    this.#filter(this.hosts)
  }

  /** Pulls a host's plug, or puts it in again. Its kernel notices, unlike a cut. */
  plug(host: LabHost, state: 'up' | 'down'): void {
    this.#medium.plug(host, state)
  }

  /** Limits both directions of a host's link, in bits a second; undefined makes it wide again. */
  narrow(host: LabHost, bits: number | undefined): void {
    this.#medium.narrow(host, bits)
  }

  /** Takes a host's address away; {@link readdress} gives it another. */
  unaddress(host: LabHost): void {
    on(host, 'ip', ['addr', 'flush', 'dev', 'eth0'])
  }

  /** Replaces a host's address, as when a laptop changes networks. */
  readdress(host: LabHost): void {
    const turn = (this.#addressesGiven.get(host) ?? 0) + 1
    this.#addressesGiven.set(host, turn)
    host.address = addressOf(host.number, turn)
    // The order matters: removing the first address removes later ones with it.
    this.unaddress(host)
    on(host, 'ip', ['addr', 'add', `${host.address}/16`, 'dev', 'eth0'])
    // The kernel forgot its neighbours with its last address.
    this.#introduce(host, this.hosts)
    for (const other of this.hosts) this.#introduce(other, [host])
    this.#filter(this.hosts)
  }

  /** Bytes that a host sent to others or to itself so far, headers included. */
  bytes(host: LabHost): number {
    const devices = on(host, 'cat', ['/proc/thread-self/net/dev'])
    return deviceCounter(devices, 'eth0', SENT) + deviceCounter(devices, 'lo', SENT)
  }

  /** Packets lost without a planned fault: the laboratory itself was too slow for them. */
  lost(): number {
    return this.#medium.lost()
  }

  /**
   * Gives a host the hardware addresses of others. Addresses that kernels find by asking go into
   * one table of 1,024 places for all namespaces of a machine (`gc_thresh3`): a hundred hosts
   * overflow it, and their packets are lost.
   */
  #introduce(host: LabHost, others: readonly LabHost[]): void {
    const lines = others
      .filter((other) => other !== host)
      .map((other) => `neigh replace ${other.address} lladdr ${hardware(other)} dev eth0 nud permanent\n`)
    on(host, 'ip', ['-batch', '-'], lines.join(''))
  }

  /** Sets the rules of hosts' firewalls. */
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

/** Private addresses that exist only inside the laboratory's own namespaces. */
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
    // Sends packets as they are on a wire. Otherwise a kernel sends 64 KB as one, or merges packets
    // that arrive together, and one loss is a loss of forty.
    run('ip', [...inside, 'link', 'set', device, 'mtu', '1500', 'gso_max_segs', '1', 'gro_max_size', '1500', 'up'])
  }
  return host
}
