/**
 * Members behind routers: do all know all, do hidden members reach each other, and what does the
 * loss of a relay cost? A scenario can't express this, because its hosts are on one network.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { generatePoolKey } from '@jel/jel'
import { jelBin } from '../base/paths.ts'
import { median } from '../base/quantiles.ts'
import { flag, seconds, someOf, whole } from '../base/settings.ts'
import { areMet, targetLines, type Figure } from '../base/targets.ts'
import { bench } from '../bench/bench.ts'
import { runId } from '../network/namespaces.ts'
import { on } from '../network/host.ts'
import type { ProcessNode } from '../swarm/process-node.ts'
import { ProcessSwarm } from '../swarm/process-swarm.ts'
import { NATS, NatNetwork, PORT, type NatHost } from '../network/nat-network.ts'

const PROTOCOL = '/lab/reach/1'
/** Wait before the measurements, ms: members learn how others reach them, and connect to relays. */
const SETTLE = 15_000
/**
 * Wait after a change of the key, ms. Nodes close connections with the old key within half a
 * minute.
 */
const KEY_SETTLE = 35_000
/** The hidden members are alone for this time, ms. */
const ALONE = 10_000
/** Time of a cut between two direct members, and after it, ms. */
const CUT = 20_000
/**
 * `NEWS`: longest wait until nodes report a change. `ANSWER`: longest wait for an answer. Both in
 * ms.
 */
const [NEWS, ANSWER] = [30_000, 10_000]
/** Longest wait for a connection that passes no relay, ms. */
const PUNCHED = 6_000

/** Connections between hidden members that pass no relay. */
interface Punched {
  /** The kinds of the two routers. */
  readonly kind: string
  readonly direct: number
  readonly pairs: number
  /**
   * From `open()` to such a connection, ms; Infinity: none came. Undefined: all pairs of this kind
   * were connected already.
   */
  readonly time: number | undefined
}

class Pool {
  readonly swarm: ProcessSwarm
  readonly hosts = new Map<ProcessNode, NatHost>()
  readonly #folder: string
  readonly #servers: Server[] = []
  /** The files of the present and of the next key of a private pool. */
  readonly #keys: readonly [string, string] | undefined
  #changed = false

  constructor(folder: string, isPrivate: boolean) {
    this.#folder = folder
    this.#keys = isPrivate ? [join(folder, 'pool.key'), join(folder, 'next.key')] : undefined
    for (const file of this.#keys ?? []) writeFileSync(file, generatePoolKey(), { mode: 0o600 })
    this.swarm = new ProcessSwarm({ bin: jelBin, name: `reach-${runId()}` })
  }

  /** Starts a node. A node that starts again on a host has its old identity and port. */
  async start(host: NatHost, first?: ProcessNode): Promise<ProcessNode> {
    const bootstrap = first === undefined ? [] : ['--bootstrap', first.process.address]
    const announce = host.nat === 'forward' ? ['--announce', `${host.outside}:${PORT}`] : []
    const keyed = this.#keys === undefined ? [] : ['--key-file', this.#keys[this.#changed ? 1 : 0]]
    const run = join(this.#folder, host.name)
    mkdirSync(run, { recursive: true })
    const node = await this.swarm.startOne({
      host,
      identity: join(run, 'identity'),
      args: ['--listen', `0.0.0.0:${PORT}`, ...bootstrap, ...announce, ...keyed],
      env: { XDG_RUNTIME_DIR: run },
    })
    this.hosts.set(node, host)
    return node
  }

  get hidden(): ProcessNode[] {
    return this.swarm.running.filter((node) => this.hosts.get(node)?.hidden === true)
  }

  get direct(): ProcessNode[] {
    return this.swarm.running.filter((node) => this.hosts.get(node)?.hidden === false)
  }

  /** Makes each node accept streams. */
  async serve(): Promise<void> {
    for (const [index, node] of this.swarm.running.entries()) {
      const path = join(this.#folder, `${index}.sock`)
      this.#servers.push(createServer((socket) => socket.end()).listen(path))
      await node.answer({ command: 'handle', protocol: PROTOCOL, path })
    }
  }

  /**
   * Gives the command to one node of each pair. Returns the times, ms. The time of a failed command
   * is Infinity.
   */
  async pairs(nodes: readonly ProcessNode[], command: (to: ProcessNode) => Record<string, unknown>): Promise<number[]> {
    const times: number[] = []
    for (const from of nodes)
      for (const to of nodes) {
        if (from === to) continue
        const began = performance.now()
        const told = await from.ask(command(to), ANSWER)
        times.push(told === undefined || told.event === 'error' ? Infinity : performance.now() - began)
      }
    return times
  }

  /** Kills nodes. Returns the time until all others know, ms. */
  async kill(...victims: readonly ProcessNode[]): Promise<number> {
    const ids = victims.map(({ id }) => id)
    const began = Date.now()
    for (const victim of victims) victim.send('SIGKILL')
    return (await this.swarm.knownByAll('died', ids, NEWS)) - began
  }

  /**
   * For each combination of two kinds of routers, opens a stream between two hidden members without
   * a direct connection, and waits for such a connection. At the end it counts all pairs.
   */
  async punched(): Promise<Punched[]> {
    const all = new Map<string, Punched>()
    const pairs = this.hidden.flatMap((one, index) => this.hidden.slice(index + 1).map((other) => [one, other] as const))
    const hostsOf = (pair: readonly ProcessNode[]): NatHost[] => pair.map((node) => this.hosts.get(node) as NatHost)
    const kindsOf = (pair: readonly ProcessNode[]): string =>
      hostsOf(pair)
        .map(({ nat }) => nat)
        .toSorted((a, b) => String(a).localeCompare(String(b)))
        .join(' and ')
    const isDirect = (pair: readonly ProcessNode[]): boolean => {
      const [one, other] = hostsOf(pair) as [NatHost, NatHost]
      return on(one, 'ss', ['-Htn', 'state', 'established']).includes(`${other.outside}:`)
    }
    for (const pair of pairs) {
      const [one, other] = pair
      const kind = kindsOf(pair)
      if (all.has(kind) || isDirect(pair)) continue
      const began = performance.now()
      await one.ask({ command: 'open', node: other.id, protocol: PROTOCOL }, ANSWER)
      const found = await this.swarm.until(() => isDirect(pair), PUNCHED, 50)
      all.set(kind, { kind, direct: 0, pairs: 0, time: found === undefined ? Infinity : performance.now() - began })
    }
    for (const pair of pairs) {
      const kind = kindsOf(pair)
      const { direct, pairs: count, time } = all.get(kind) ?? { direct: 0, pairs: 0, time: undefined }
      all.set(kind, { kind, direct: direct + Number(isDirect(pair)), pairs: count + 1, time })
    }
    return [...all.values()].toSorted((a, b) => a.kind.localeCompare(b.kind))
  }

  /** Replaces the key on all nodes, step by step. */
  async changeKey(): Promise<void> {
    const [old, next] = (this.#keys ?? []).map((file) => readFileSync(file, 'utf8'))
    for (const [change, key] of [
      ['install', next],
      ['use', next],
      ['remove', old],
    ] as const)
      for (const node of this.swarm.running) await node.answer({ command: 'keys', do: change, key })
    this.#changed = true
  }

  /** Number of deaths of running nodes that any node reported. */
  async falseDeaths(): Promise<number> {
    return (await this.swarm.wrongs()).deaths
  }

  async stop(): Promise<void> {
    await this.swarm.stop()
    for (const server of this.#servers) server.close()
  }
}

export const experiment = bench({
  about: 'members behind routers: do hidden members reach each other, and what does the loss of a relay cost?',
  settings: {
    direct: whole(3, 'members that others can dial', 2),
    hidden: whole(10, 'members behind routers, each with the same private address', 2),
    nats: someOf(NATS, 'kinds of routers, in turn'),
    idle: seconds(60, 'seconds of idleness whose traffic counts'),
    roundTrip: whole(0, 'milliseconds of a round trip between two networks', 0),
    private: flag('a private pool, whose key changes during the run'),
  },
  notes: 'Exit status 1 if a figure exceeds its target, or a running member is pronounced dead. Needs Linux, and root or user namespaces.',
  where: 'hosts',
  async measure(settings, { folder }) {
    const network = new NatNetwork({ delay: settings.roundTrip / 2, hosts: settings.direct + settings.hidden })
    await network.ready
    const pool = new Pool(folder, settings.private)
    const { swarm } = pool
    const first = await pool.start(network.direct())
    const direct = Array.from({ length: settings.direct - 1 }, () => network.direct())
    const hidden = Array.from({ length: settings.hidden }, (_, index) =>
      network.hidden(settings.nats[index % settings.nats.length] ?? 'drop'),
    )
    const nodes = [first, ...(await Promise.all([...direct, ...hidden].map(async (host) => await pool.start(host, first))))]
    const entered = Math.max(...nodes.map(({ process }) => process.entered))
    const known = await swarm.until(() => swarm.agree(), NEWS, 10)
    const rows: Figure[] = [{ what: 'all know all, after the last entry, ms', value: (known ?? Infinity) - entered, most: 1_000 }]
    await delay(SETTLE)
    await pool.serve()
    const members = (await first.answer({ command: 'members' })).nodes ?? []
    rows.push(...(await idle(pool, network, settings.idle)))
    const pairs = async (when: string): Promise<void> => {
      const opened = await pool.pairs(pool.hidden, (to) => ({ command: 'open', node: to.id, protocol: PROTOCOL }))
      const signalled = await pool.pairs(pool.hidden, (to) => ({ command: 'signal', name: 'lab', nodes: [to.id] }))
      rows.push(
        { what: `open() between hidden members ${when}, worst of ${opened.length}, ms`, value: Math.max(...opened), most: 500 },
        { what: `open() between hidden members ${when}, median, ms`, value: median(opened), most: 500 },
        { what: `signal between hidden members ${when}, worst, ms`, value: Math.max(...signalled), most: 1_000 },
      )
    }
    await pairs('at first')
    const punched = await pool.punched()
    const [one, other] = pool.direct as [ProcessNode, ProcessNode]
    const heal = network.part([pool.hosts.get(one) as NatHost], [pool.hosts.get(other) as NatHost])
    await delay(CUT)
    const across = await pool.pairs([one, other], (to) => ({ command: 'open', node: to.id, protocol: PROTOCOL }))
    rows.push({
      what: 'open() between two direct members whose network is cut in between, worst, ms',
      value: Math.max(...across),
      most: 8_000,
    })
    heal()
    await delay(CUT)
    if (settings.private) {
      const news = swarm.reports.length
      await pool.changeKey()
      await delay(KEY_SETTLE)
      rows.push({ what: 'notifications during the change of the key and 35 s after it', value: swarm.reports.length - news, most: 0 })
      await pairs('after the change of the key')
    }
    const at = async (what: string, most: number, ...victims: ProcessNode[]): Promise<void> => {
      rows.push({ what: `SIGKILL of ${what}: known by all, ms`, value: await pool.kill(...victims), most })
    }
    // A member behind a forwarded port counts as hidden, but others can dial it. So it is no victim
    // here.
    const victim = pool.hidden.findLast((node) => pool.hosts.get(node)?.nat !== 'forward')
    if (victim !== undefined) await at('a hidden member', 5_000, victim)
    await at('a relay', 1_000, pool.direct.at(-1) as ProcessNode)
    await delay(5_000)
    await pairs('5 s after the loss of a relay')
    if (pool.direct.length > 2) {
      await at('all direct members but one', 5_000, ...pool.direct.slice(1))
      await delay(5_000)
      await pairs('5 s after the loss of all relays but one')
    }
    const [last] = pool.direct
    if (last !== undefined) {
      rows.push({ what: 'deaths of running members before all direct members are lost', value: await pool.falseDeaths(), most: 0 })
      const host = pool.hosts.get(last) as NatHost
      last.send('SIGKILL')
      await delay(ALONE)
      const began = Date.now()
      await pool.start(host)
      const whole = await swarm.until(() => swarm.agree(), NEWS, 50)
      rows.push({ what: 'all know all, after the last direct member came back, ms', value: (whole ?? Infinity) - began, most: 20_000 })
    }
    await pool.stop()
    return {
      rows,
      punched,
      reaches: [...Map.groupBy(members, ({ reach }) => reach)].map(([reach, all]) => `${all.length} ${reach}`),
    }
  },
  table: ({ rows, reaches, punched }) =>
    [
      `members: ${reaches.join(', ')}`,
      ...punched.map(
        ({ kind, direct, pairs, time }) =>
          `routers ${kind}: ${direct} of ${pairs} pairs pass no relay${time === undefined ? '' : `; one took ${Math.round(time)} ms`}`,
      ),
      ...targetLines(rows),
    ].join('\n'),
  passed: ({ rows }) => areMet(rows),
})

/** Measures the traffic of an idle pool, and counts its notifications. */
async function idle(pool: Pool, network: NatNetwork, time: number): Promise<Figure[]> {
  const sent = (): number[] => network.hosts.map((host) => network.bytes(host))
  const [before, news] = [sent(), pool.swarm.reports.length]
  await delay(time)
  const rates = sent().map((bytes, index) => ((bytes - (before[index] ?? 0)) * 1_000) / time)
  return [
    { what: 'sent by an idle member, median, B/s', value: median(rates), most: 350 },
    { what: 'sent by the busiest idle member, which relays, B/s', value: Math.max(...rates), most: 1_500 },
    { what: 'notifications while idle', value: pool.swarm.reports.length - news, most: 0 },
  ]
}
