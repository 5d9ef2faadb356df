/**
 * Hosts on a public network, and hosts behind routers of their own. All hidden hosts have the same
 * private address, as in many homes. The addresses exist only inside the run's own namespaces.
 */
import { on, type LabHost } from './host.ts'
import type { Medium } from './medium.ts'
import { runId } from './namespaces.ts'
import { run } from './tools.ts'
import { Tunnels } from './tunnels.ts'
import { Wire } from './wire.ts'

/**
 * The routers. `drop`: drops packets of strangers. `reject`: answers them with a refusal. `random`:
 * uses another port for each destination (a symmetric NAT), and drops. `forward`: passes the port
 * of the pool on to its host.
 */
export const NATS = ['drop', 'reject', 'random', 'forward'] as const
export type Nat = (typeof NATS)[number]

export const PORT = 4001
/** libp2p treats the address ranges for documentation as private, so the run uses another range. */
const PUBLIC = '11.77'
const PRIVATE = '192.168.1'
/** Packets pass this chain first. It drops those of hosts that are cut off. */
const GATE = [':CUT - [0:0]', '-A INPUT -j CUT', '-A FORWARD -j CUT', '-A INPUT -d 224.0.0.0/4 -j DROP']
const STRANGERS = '-m conntrack --ctstate NEW'

export interface NatHost extends LabHost {
  /** Undefined: others can dial it. */
  readonly nat: Nat | undefined
  /** The address at which members elsewhere see it. */
  readonly outside: string
}

export class NatNetwork {
  readonly hosts: NatHost[] = []
  /** The routers of hidden hosts. */
  readonly #gates = new Map<NatHost, string>()
  readonly #medium: Medium

  /** `delay`: of a packet between two networks, ms. `hosts`: the most hosts. */
  constructor({ delay = 0, hosts }: { readonly delay?: number; readonly hosts: number }) {
    const site = { name: '', gateway: { up: undefined, down: undefined }, dialable: true }
    this.#medium = delay === 0 ? new Wire() : new Tunnels({ sites: [site], spans: [[{ min: delay, max: delay }]] }, hosts, 1)
  }

  /** Resolves when the network carries packets. */
  get ready(): Promise<void> {
    return this.#medium.ready
  }

  /** Adds a host that others can dial. */
  direct(): NatHost {
    const number = this.hosts.length + 1
    const outside = `${PUBLIC}.0.${number}`
    const host = this.#add({
      number,
      name: this.#namespace(`d${number}`),
      address: outside,
      site: 0,
      hidden: false,
      nat: undefined,
      outside,
    })
    this.#attach(host, 'eth0')
    on(host, 'iptables-restore', [], ['*filter', ...GATE, 'COMMIT', ''].join('\n'))
    return host
  }

  /** Adds a host behind a router of its own. */
  hidden(nat: Nat): NatHost {
    const number = this.hosts.length + 1
    const outside = `${PUBLIC}.1.${number}`
    const router = this.#namespace(`r${number}`)
    const host = this.#add({ number, name: this.#namespace(`h${number}`), address: `${PRIVATE}.2`, site: 0, hidden: true, nat, outside })
    this.#attach({ ...host, name: router }, 'wan')
    run('ip', ['-n', router, 'link', 'add', 'lan', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', host.name])
    run('ip', ['-n', router, 'addr', 'add', `${PRIVATE}.1/24`, 'dev', 'lan'])
    run('ip', ['-n', host.name, 'addr', 'add', `${PRIVATE}.2/24`, 'dev', 'eth0'])
    // Without limits a kernel merges packets, and drops them where it can't compute checksums.
    for (const [name, device] of [
      [router, 'lan'],
      [host.name, 'eth0'],
    ] as const)
      run('ip', ['-n', name, 'link', 'set', device, 'mtu', '1500', 'gso_max_segs', '1', 'up'])
    run('ip', ['-n', host.name, 'route', 'add', 'default', 'via', `${PRIVATE}.1`])
    this.#gates.set(host, router)
    this.#translate(router, nat)
    return host
  }

  /** Cuts all packets between the groups. Returns a function that ends the cut. */
  part(...groups: (readonly LabHost[])[]): () => void {
    const sideOf = (host: LabHost): number => groups.findIndex((group) => group.includes(host))
    for (const host of this.hosts) {
      const others = this.hosts.filter((other) => sideOf(host) >= 0 && sideOf(other) >= 0 && sideOf(other) !== sideOf(host))
      this.#cut(host, others)
    }
    return () => this.heal()
  }

  /** Ends all cuts. */
  heal(): void {
    for (const host of this.hosts) this.#cut(host, [])
  }

  /** Unplugs the cable of a host or of its router, or plugs it in again. */
  plug(host: NatHost, state: 'up' | 'down'): void {
    const router = this.#gates.get(host)
    if (router === undefined) this.#medium.plug(host, state)
    else run('ip', ['-n', router, 'link', 'set', 'wan', state])
  }

  mayDial(from: LabHost, to: LabHost): boolean {
    return from === to || !to.hidden
  }

  #cut(host: NatHost, others: readonly NatHost[]): void {
    const gate = `--net=/run/netns/${this.#gates.get(host) ?? host.name}`
    const drops = others.map(({ outside }) => `-A CUT -s ${outside} -j DROP`)
    run('nsenter', [gate, '--', 'iptables-restore', '--noflush'], ['*filter', ':CUT - [0:0]', ...drops, 'COMMIT', ''].join('\n'))
  }

  /** Bytes that a host has sent so far, headers included. */
  bytes(host: NatHost): number {
    const [line] = on(host, 'ip', ['-s', '-o', 'link', 'show', 'dev', 'eth0']).split('\n')
    return Number(/TX:.*?\\\s+(?<bytes>\d+)/u.exec(line ?? '')?.groups?.['bytes'])
  }

  #add(host: NatHost): NatHost {
    this.hosts.push(host)
    return host
  }

  #namespace(name: string): string {
    const full = `jel${runId()}-${name}`
    run('ip', ['netns', 'add', full])
    run('ip', ['-n', full, 'link', 'set', 'lo', 'up'])
    return full
  }

  /** Joins a host, or its router, to the public network. */
  #attach(host: NatHost, device: string): void {
    this.#medium.attach(host)
    const here = ['-n', host.name]
    run('ip', [...here, 'link', 'set', 'eth0', 'down'])
    if (device !== 'eth0') run('ip', [...here, 'link', 'set', 'eth0', 'name', device])
    run('ip', [...here, 'addr', 'add', `${host.outside}/16`, 'dev', device])
    run('ip', [...here, 'link', 'set', device, 'mtu', '1500', 'gso_max_segs', '1', 'up'])
  }

  #translate(router: string, nat: Nat): void {
    const inside = ['nsenter', `--net=/run/netns/${router}`, '--']
    const [nsenter = '', ...rest] = inside
    run(nsenter, [...rest, 'sysctl', '-qw', 'net.ipv4.ip_forward=1'])
    const answer = nat === 'reject' ? '-p tcp -j REJECT --reject-with tcp-reset' : '-j DROP'
    const rules = [
      '*nat',
      `-A POSTROUTING -o wan -j MASQUERADE${nat === 'random' ? ' --random-fully' : ''}`,
      ...(nat === 'forward' ? [`-A PREROUTING -i wan -p tcp --dport ${PORT} -j DNAT --to-destination ${PRIVATE}.2`] : []),
      'COMMIT',
      '*filter',
      ...GATE,
      ...(nat === 'forward' ? [`-A FORWARD -i wan -p tcp --dport ${PORT} -j ACCEPT`] : []),
      `-A FORWARD -i wan ${STRANGERS} ${answer}`,
      `-A INPUT -i wan ${STRANGERS} ${answer}`,
      'COMMIT',
      '',
    ]
    run(nsenter, [...rest, 'iptables-restore'], rules.join('\n'))
  }
}
