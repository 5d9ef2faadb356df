/**
 * The acceptance suite on node processes, each on a host of its own. Unlike on loopback, the
 * network between them can be cut.
 */
import { acceptance, type SwarmFeature, type TestRunner } from '@jel/conformance'
import { jelBin } from '../base/paths.ts'
import { flag, pattern, positive, UsageError, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { runId } from '../network/namespaces.ts'
import { NatNetwork, NATS } from '../network/nat-network.ts'
import { LabNetwork } from '../network/network.ts'
import { ProcessSwarm } from '../swarm/process-swarm.ts'

/**
 * Number of hosts beyond `size`. No case starts more nodes than there are hosts. The largest starts
 * 12.
 */
const SPARE = 10

/** Number of hosts that others can dial, with `--hidden`. */
const DIRECT = 3

interface Case {
  readonly name: string
  readonly run: () => Promise<void>
}

export const experiment = bench({
  about: 'the promises of a pool, case by case, on processes with a network between them',
  settings: {
    cases: pattern('cases to run, by theme and name; default: all'),
    slow: flag('also run the cases that take minutes'),
    size: whole(6, 'nodes in a pool of ordinary size', 6),
    scale: positive(2, 'factor for all time bounds'),
    hidden: flag('all hosts but three are behind routers of four kinds, each with the same private address'),
  },
  notes: 'Exit status 1 if a case fails. Needs Linux, and root or user namespaces.',
  where: 'hosts',
  async measure({ cases, slow, size, scale, hidden }) {
    const network = hidden ? behindRouters(size + SPARE) : new LabNetwork(size + SPARE)
    if (network instanceof LabNetwork) await network.ready
    let pools = 0
    const create = async (): Promise<ProcessSwarm> => new ProcessSwarm({ bin: jelBin, name: `conformance-${runId()}-${pools++}`, network })
    const lacks: Partial<Record<SwarmFeature, string>> = {
      introduce: 'the hosts drop multicast, and mDNS needs it',
      ...(!slow && { slow: 'without --slow' }),
    }
    const chosen = casesOf((runner) => acceptance({ name: '', create, size, scale, watchShare: 0.2, lacks }, runner)).filter(({ name }) =>
      cases.test(name),
    )
    if (chosen.length === 0) throw new UsageError(`--cases: no case matches ${cases.source}`)
    const failed: string[] = []
    for (const { name, run } of chosen) {
      try {
        await run()
        console.log(`passed: ${name}`)
      } catch (error) {
        failed.push(name)
        console.log(`failed: ${name}\n  ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    return { count: chosen.length, failed }
  },
  table: ({ count, failed }) => `${count - failed.length} of ${count} cases passed`,
  passed: ({ failed }) => failed.length === 0,
})

function behindRouters(hosts: number): NatNetwork {
  const network = new NatNetwork({ hosts })
  for (let host = 0; host < hosts; host++) {
    if (host < DIRECT) network.direct()
    else network.hidden(NATS[host % NATS.length] ?? 'drop')
  }
  return network
}

/** Returns the cases that a suite registers, without those that it skips. */
function casesOf(suite: (runner: TestRunner) => void): Case[] {
  const cases: Case[] = []
  const themes: string[] = []
  const describe = (name: string, body: () => void): void => {
    themes.push(name)
    body()
    themes.pop()
  }
  const it = (name: string, run: () => Promise<void>): void => void cases.push({ name: `${themes.join(' ')} ${name}`.trim(), run })
  suite({ describe, it: Object.assign(it, { skip: () => {} }) })
  return cases
}
