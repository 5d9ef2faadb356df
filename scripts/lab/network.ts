/**
 * Hosts on one wire: each is a network namespace with an interface of its own, joined to the others by a bridge in the namespace
 * of the laboratory itself.
 *
 * Whatever is lost is lost on arrival, by the receiving host's firewall, loss and cut alike: a sender whose own firewall drops a
 * packet is told so by its kernel, which no real network does.
 */
import { readFileSync } from 'node:fs'
import { run } from './tools.ts'
import { runId } from './world.ts'

const BRIDGE = 'wire'
/** Multicast is dropped: what finds the pool again is the protocol, not mDNS. */
const NO_MULTICAST = '-A INPUT -d 224.0.0.0/4 -j DROP'

export interface LabHost {
  /** From 1. */
  readonly number: number
  /** Of the namespace; carries the id of the run. */
  readonly name: string
  address: string
}

/** Why packets are lost, so that a cause can be taken away without the others. */
export type Cause = 'network' | 'partition' | 'cut' | 'flap' | 'silence' | 'loss'

interface Fault {
  readonly cause: Cause
  readonly from: ReadonlySet<LabHost>
  readonly to: ReadonlySet<LabHost>
  /** Share of the packets that get lost, 0 to 1; 1 is a cut. */
  readonly share: number
}

export class LabNetwork {
  readonly hosts: readonly LabHost[]
  #faults: readonly Fault[] = []
  readonly #addressesGiven = new Map<LabHost, number>()

  constructor(hosts: number) {
    run('ip', ['link', 'add', BRIDGE, 'type', 'bridge'])
    run('ip', ['link', 'set', BRIDGE, 'up'])
    this.hosts = Array.from({ length: hosts }, (_, index) => connect(index + 1))
    this.#filter(this.hosts)
  }

  /** What runs a program on a host. */
  within(host: LabHost): string[] {
    return ['nsenter', `--net=/run/netns/${host.name}`, '--']
  }

  /** Loses a share of the packets that one of `from` sends to one of `to`, within a host as well. Returns what mends it. */
  lose(cause: Cause, from: readonly LabHost[], to: readonly LabHost[], share: number): () => void {
    const fault: Fault = { cause, from: new Set(from), to: new Set(to), share }
    this.#faults = [...this.#faults, fault]
    this.#filter(to)
    return () => this.#mend((each) => each === fault)
  }

  /** No packet between the groups. Returns what mends it. */
  part(cause: Cause, ...groups: (readonly LabHost[])[]): () => void {
    const mend = groups.map((group) => {
      const others = groups.filter((other) => other !== group).flat()
      return this.lose(cause, others, group, 1)
    })
    return () => {
      for (const each of mend) each()
    }
  }

  /** Takes all faults with these causes away; where hosts are given, only those that touch one of them. */
  heal(causes: readonly Cause[], hosts: readonly LabHost[] = this.hosts): void {
    this.#mend(({ cause, from, to }) => causes.includes(cause) && hosts.some((host) => from.has(host) || to.has(host)))
  }

  /** The plug out of the host, or in again: its kernel knows, unlike of a cut. */
  plug(host: LabHost, state: 'up' | 'down'): void {
    run('ip', ['link', 'set', port(host), state])
  }

  /** Both directions of a host's link, in bits a second; undefined makes it wide again. */
  narrow(host: LabHost, bits: number | undefined): void {
    const command =
      bits === undefined
        ? ['qdisc', 'del', 'dev']
        : // Half a second of queue, as home routers have; a bucket of ten packets, so that one always fits.
          ['qdisc', 'replace', 'dev']
    const rate = bits === undefined ? [] : ['tbf', 'rate', `${bits}bit`, 'burst', '15kb', 'latency', '500ms']
    run('tc', [...command, port(host), 'root', ...rate])
    this.#on(host, 'tc', [...command, 'eth0', 'root', ...rate])
  }

  /** Takes a host's address away; {@link readdress} gives it another. */
  unaddress(host: LabHost): void {
    this.#on(host, 'ip', ['addr', 'flush', 'dev', 'eth0'])
  }

  /** Gives a host another address instead of its own, as when a laptop changes networks. */
  readdress(host: LabHost): void {
    const turn = (this.#addressesGiven.get(host) ?? 0) + 1
    this.#addressesGiven.set(host, turn)
    host.address = addressOf(host.number, turn)
    // In this order: an address that came second goes with the first.
    this.unaddress(host)
    this.#on(host, 'ip', ['addr', 'add', `${host.address}/16`, 'dev', 'eth0'])
    this.#filter(this.hosts)
  }

  /** Bytes that crossed the wire or a host's loopback interface so far, headers included; each byte counts once. */
  bytes(host: LabHost): number {
    const inside = this.#on(host, 'cat', ['/proc/thread-self/net/dev'])
    return counter(readFileSync('/proc/net/dev', 'utf8'), port(host), RECEIVED) + counter(inside, 'lo', RECEIVED)
  }

  #on(host: LabHost, program: string, args: readonly string[], input?: string): string {
    const [nsenter = '', ...rest] = this.within(host)
    return run(nsenter, [...rest, program, ...args], input)
  }

  #mend(isOver: (fault: Fault) => boolean): void {
    const over = this.#faults.filter(isOver)
    this.#faults = this.#faults.filter((fault) => !isOver(fault))
    this.#filter(new Set(over.flatMap(({ to }) => [...to])))
  }

  /** Tells hosts' firewalls what to lose. */
  #filter(hosts: Iterable<LabHost>): void {
    for (const host of hosts) {
      const rules = this.hosts.flatMap((from) => {
        const kept = this.#faults.reduce((kept, fault) => (fault.from.has(from) && fault.to.has(host) ? kept * (1 - fault.share) : kept), 1)
        if (kept === 1) return []
        const chance = kept === 0 ? '' : `-m statistic --mode random --probability ${(1 - kept).toFixed(6)} `
        return [`-A INPUT -s ${from.address} ${chance}-j DROP`]
      })
      this.#on(host, 'iptables-restore', [], ['*filter', ':INPUT ACCEPT', NO_MULTICAST, ...rules, 'COMMIT', ''].join('\n'))
    }
  }
}

const RECEIVED = 0

/** One number of a line of /proc/net/dev. */
function counter(table: string, device: string, column: number): number {
  const line = table.split('\n').find((each) => each.trim().startsWith(`${device}:`))
  return Number(line?.split(':')[1]?.trim().split(/\s+/)[column] ?? Number.NaN)
}

/** The bridge's end of a host's cable. */
function port(host: LabHost): string {
  return `h${host.number}`
}

/** Private addresses that exist inside of the laboratory's own namespaces only. */
function addressOf(host: number, turn: number): string {
  return `10.77.${turn}.${host}`
}

function connect(number: number): LabHost {
  const host = { number, name: `jel${runId()}-h${number}`, address: addressOf(number, 0) }
  const inside = ['-n', host.name]
  run('ip', ['netns', 'add', host.name])
  run('ip', ['link', 'add', port(host), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', host.name])
  run('ip', ['link', 'set', port(host), 'master', BRIDGE, 'up'])
  run('ip', [...inside, 'addr', 'add', `${host.address}/16`, 'dev', 'eth0'])
  for (const device of ['lo', 'eth0']) {
    // Packets as they are on a wire: otherwise the kernel hands 64 KB over as one, and losing that is losing forty.
    run('ip', [...inside, 'link', 'set', device, 'mtu', '1500', 'gso_max_segs', '1', 'up'])
  }
  return host
}
