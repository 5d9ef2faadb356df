/**
 * Jobs behind routers: a hidden host submits to hidden workers, beside the same with hosts that
 * others can dial. Two members that can be dialled are in both pools, and compute nothing.
 */
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { jelBin } from '../base/paths.ts'
import { median } from '../base/quantiles.ts'
import { whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { on } from '../network/host.ts'
import { runId } from '../network/namespaces.ts'
import { NATS, NatNetwork, PORT, type NatHost } from '../network/nat-network.ts'
import { ProcessSwarm } from '../swarm/process-swarm.ts'

/** Wait before the first job, ms: members learn how others reach them, and connect to relays. */
const SETTLE = 20_000
/**
 * The goal: a job of hidden hosts takes at most this many times as long as a job of hosts that
 * others can dial.
 */
const MOST = 1.2

interface Pool {
  readonly name: string
  readonly swarm: ProcessSwarm
  readonly submitter: NatHost
  readonly introducer: string
}

export const experiment = bench({
  about: 'jobs of hidden members on hidden workers, beside those of members that others can dial',
  settings: {
    workers: whole(4, 'hosts that compute, one task at a time', 1),
    tasks: whole(200, 'tasks of a job', 1),
    time: whole(100, 'milliseconds that a task waits'),
    jobs: whole(5, 'jobs of each pool, in turn', 1),
    roundTrip: whole(0, 'milliseconds of a round trip between two networks', 0),
  },
  notes: `Exit status 1 if jobs of hidden members take more than ${MOST} times as long. Needs Linux, and root or user namespaces.`,
  where: 'hosts',
  async measure({ workers, tasks, time, jobs, roundTrip }, { folder }) {
    const network = new NatNetwork({ delay: roundTrip / 2, hosts: 2 * (workers + 3) })
    await network.ready
    const program = join(folder, 'program.ts')
    cpSync(new URL('waiting-program.ts', import.meta.url), program)
    const kinds = NATS.filter((nat) => nat !== 'forward')
    const start = async (isHidden: boolean): Promise<Pool> => {
      const name = `jobs-${isHidden ? 'hidden' : 'direct'}-${runId()}`
      const swarm = new ProcessSwarm({ bin: jelBin, name })
      const startOn = async (host: NatHost, command: 'join' | 'work', introducer?: string): Promise<string> => {
        const run = join(folder, host.name)
        mkdirSync(run, { recursive: true })
        const more = command === 'work' ? ['--workers', '1', '--owner', join(folder, 'owner')] : []
        const args = ['--listen', `0.0.0.0:${PORT}`, ...more]
        return (await swarm.startOne({ host, command, introducer, args, env: { XDG_RUNTIME_DIR: run } })).process.address
      }
      const introducer = await startOn(network.direct(), 'join')
      await startOn(network.direct(), 'join', introducer)
      const host = (index: number): NatHost => (isHidden ? network.hidden(kinds[index % kinds.length] ?? 'drop') : network.direct())
      for (let index = 0; index < workers; index++) await startOn(host(index), 'work', introducer)
      return { name, swarm, submitter: host(workers), introducer }
    }
    const pools = { direct: await start(false), hidden: await start(true) }
    await delay(SETTLE)
    const took: Record<keyof typeof pools, number[]> = { direct: [], hidden: [] }
    for (let job = 0; job < jobs; job++)
      for (const [kind, { name, submitter, introducer }] of Object.entries(pools) as [keyof typeof pools, Pool][]) {
        const args = ['submit', name, program, 'all', JSON.stringify([tasks, time]), '--bootstrap', introducer]
        const began = performance.now()
        const result = on(submitter, process.execPath, [jelBin, ...args, '--listen', '0.0.0.0:0', '--owner', join(folder, 'owner')])
        took[kind].push(performance.now() - began)
        if (Number(result) !== tasks) throw new Error(`the job returned ${result}`)
      }
    for (const { swarm } of Object.values(pools)) await swarm.stop()
    return { took, ideal: (tasks * time) / workers }
  },
  table: ({ took, ideal }) =>
    [
      `ideal: ${ideal} ms`,
      ...Object.entries(took).map(
        ([kind, times]) => `${kind}: ${[...times].map(Math.round).join(', ')} ms, median ${Math.round(median(times))}`,
      ),
      `ratio of the medians: ${(median(took.hidden) / median(took.direct)).toFixed(2)} (at most ${MOST})`,
    ].join('\n'),
  passed: ({ took }) => median(took.hidden) <= MOST * median(took.direct),
})
