/**
 * Trials that no scenario file can express, because they need real hosts: clocks, disks, addresses,
 * cables, narrow links.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LabHost } from '../network/host.ts'
import { LabNetwork } from '../network/network.ts'
import { runId } from '../network/namespaces.ts'
import type { ProcessNode } from '../swarm/process-node.ts'
import { ProcessSwarm } from '../swarm/process-swarm.ts'
import { faketime, run, UnableError, type Capability } from '../network/tools.ts'
import type { Verdict } from '@jel/simulator'

interface Scene {
  readonly network: LabNetwork
  readonly hosts: readonly [LabHost, LabHost]
  readonly pool: ProcessSwarm
}

interface Trial {
  readonly needs: readonly Capability[]
  readonly env?: (host: LabHost | undefined) => Readonly<Record<string, string>>
  readonly run: (scene: Scene) => Promise<Verdict[]>
}

/** Longest wait, ms. A longer wait counts as never. */
const TIMEOUT = 60_000
/** Longest time that a heal may take by design, ms. */
const HEAL = 20_000

export const TRIALS: Readonly<Record<string, Trial>> = {
  /** Two hosts whose clocks are an hour apart. */
  clock: {
    needs: ['clock'],
    env: (host) => (host?.number === 1 ? {} : { LD_PRELOAD: faketime() ?? '', FAKETIME: '+1h', FAKETIME_DONT_FAKE_MONOTONIC: '1' }),
    run: async (scene) => {
      const { pool } = scene
      const verdicts = [await started(scene)]
      const victim = pool.running.at(-1)
      if (victim !== undefined) victim.send('SIGKILL')
      verdicts.push(await agreed('the death of one known by all', pool, 10_000))
      await sleep(5_000)
      return [...verdicts, deathsOf(pool, (node) => node !== victim)]
    },
  },
  /**
   * A disk without space for the identity. The node must report this and end. No node may pronounce
   * another node dead.
   */
  disk: {
    needs: [],
    run: async (scene) => {
      const { pool, hosts } = scene
      const verdicts = [await started(scene)]
      const disk = '/run/small-disk'
      mkdirSync(disk)
      run('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk])
      fill(`${disk}/full`)
      const outcome = await pool.start(1, { host: hosts[1], args: ['--identity', `${disk}/identity`] }).then(
        () => 'the node started nevertheless',
        (error: unknown) => String(error),
      )
      const held = outcome.includes('ended with 1') && outcome.includes('identity')
      verdicts.push({ what: 'a full disk is told, with exit status 1', held, seen: outcome.slice(0, 160) })
      return [...verdicts, deathsOf(pool, () => true)]
    },
  },
  /** A host loses its address and gets another one, like a laptop that changes networks. */
  address: {
    needs: [],
    run: async (scene) => {
      const { network, hosts, pool } = scene
      const verdicts = [await started(scene)]
      // As long as a laptop takes to change from one access point to the next.
      network.unaddress(hosts[1])
      await sleep(3_000)
      network.readdress(hosts[1])
      const moved = pool.nodes.filter(({ place }) => place.host === hosts[1])
      const known = (): boolean =>
        pool.agree() &&
        pool.nodes.every(({ view }) =>
          moved.every(
            ({ process, place }) => view.get(process.id)?.every((address) => address.startsWith(`/ip4/${place.host?.address}/`)) === true,
          ),
        )
      verdicts.push(await reached('all know all, and the host under its new address only', pool, known, HEAL))
      const lives = moved.map(({ process }) =>
        Math.max(...pool.reports.filter(({ about }) => about === process.id).map((report) => report.incarnation)),
      )
      // One new incarnation for the new address, and one more for nodes that others pronounced dead
      // during the move.
      verdicts.push({
        what: 'at most two new lives a node that moved',
        held: lives.every((life) => life <= 3),
        seen: lives.join(', '),
      })
      return verdicts
    },
  },
  /** Unplugs a host's cable for up to half a minute. The host's kernel notices this. */
  cable: {
    needs: [],
    run: async (scene) => {
      const { network, hosts, pool } = scene
      const verdicts = [await started(scene)]
      network.plug(hosts[1], 'down')
      const sides = hosts.map((host) => pool.nodes.filter((node) => node.place.host === host))
      const split = await pool.until(() => sides.every((side) => pool.agree(side)), 30_000)
      verdicts.push({
        what: 'both sides know that they are apart',
        held: split !== undefined,
        seen: split === undefined ? 'no' : 'yes',
      })
      network.plug(hosts[1], 'up')
      verdicts.push(await agreed('all know all after the cable is back', pool, HEAL))
      return verdicts
    },
  },
  /** A host behind a modem: 64 kbit/s in both directions. */
  narrow: {
    needs: [],
    run: async (scene) => {
      const { network, hosts, pool } = scene
      network.narrow(hosts[1], 64_000)
      const verdicts = [await started(scene)]
      await sleep(20_000)
      verdicts.push(deathsOf(pool, () => true))
      network.narrow(hosts[1], undefined)
      return verdicts
    },
  },
}

/** Runs one trial with three nodes on each of two hosts. */
export async function runTrial(name: string, bin: string, out: string | undefined): Promise<Verdict[]> {
  const trial = TRIALS[name]
  if (trial === undefined) throw new UnableError(`no trial is called ${name}; there are ${Object.keys(TRIALS).join(', ')}`)
  const network = new LabNetwork(2)
  const [first, second] = network.hosts
  if (first === undefined || second === undefined) throw new Error('two hosts were asked for')
  const pool = new ProcessSwarm({ bin, out, network, name: `lab-${runId()}`, ...(trial.env && { env: trial.env }) })
  try {
    return await trial.run({ network, hosts: [first, second], pool })
  } finally {
    await pool.stop()
  }
}

async function started({ hosts, pool }: Scene): Promise<Verdict> {
  const [first, second] = hosts
  await pool.start(1, { host: first })
  await Promise.all([pool.start(2, { host: first }), pool.start(3, { host: second })])
  return await agreed('all know all after the start', pool, 30_000)
}

async function agreed(what: string, pool: ProcessSwarm, within: number): Promise<Verdict> {
  return await reached(what, pool, () => pool.agree(), within)
}

async function reached(what: string, pool: ProcessSwarm, condition: () => boolean, within: number): Promise<Verdict> {
  const start = Date.now()
  const time = await pool.until(condition, TIMEOUT)
  if (time === undefined) return { what, held: false, seen: `not within ${TIMEOUT} ms` }
  return { what, held: time - start <= within, seen: `${time - start} ms` }
}

function deathsOf(pool: ProcessSwarm, counts: (node: ProcessNode | undefined) => boolean): Verdict {
  const wrong = pool.reports.filter(({ event, about }) => event === 'died' && counts(pool.node(about)))
  return { what: 'no false death', held: wrong.length === 0, seen: String(wrong.length) }
}

function fill(file: string): void {
  try {
    for (;;) writeFileSync(file, Buffer.alloc(1024), { flag: 'a' })
  } catch {
    // The disk is full, as intended.
  }
}
