/**
 * HashiCorp Serf: one agent a node, with its profile for local networks. The benchmark reads its
 * news from its log.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { keep } from '../base/child.ts'
import type { Contender, News } from './contender.ts'

const PORT = 7000
const RPC_PORT = 17_000
/** Longest that one agent may take to enter, ms. */
const START_TIMEOUT = 120_000

const EVENTS: Readonly<Record<string, News['type']>> = {
  EventMemberJoin: 'joined',
  EventMemberLeave: 'left',
  EventMemberFailed: 'died',
}

/** Undefined where Serf is not installed. */
export function serf(): Contender | undefined {
  const { status, stdout } = spawnSync('serf', ['version'], { encoding: 'utf8' })
  if (status !== 0) return undefined
  const version = stdout.split('\n')[0]?.replace(/^serf v?/iu, '') ?? ''
  return {
    name: 'Serf',
    title: `Serf ${version}`,
    start: async ({ network, host, number }, introducer, tell) => {
      const name = `n${number}`
      const address = `${host.address}:${PORT + number}`
      const [nsenter = '', ...within] = network.within(host)
      const child = keep(
        spawn(nsenter, [
          ...within,
          'serf',
          'agent',
          `-node=${name}`,
          `-bind=${address}`,
          `-rpc-addr=127.0.0.1:${RPC_PORT + number}`,
          '-profile=lan',
          ...(introducer === undefined ? [] : [`-join=${introducer}`]),
        ]),
      )
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      const timer = setTimeout(() => reject(new Error(`${name} did not enter within ${START_TIMEOUT} ms`)), START_TIMEOUT)
      child.once('error', reject)
      child.once('exit', (code, signal) => reject(new Error(`serf agent ended with ${code ?? signal}`)))
      child.stderr.resume()
      createInterface(child.stdout).on('line', (line) => {
        const [, event = '', about = ''] = / serf: (EventMember\w+): (\S+)/u.exec(line) ?? []
        const type = EVENTS[event]
        if (type !== undefined) tell({ type, about })
        if ((introducer === undefined && about === name) || line.includes('agent: joined:')) resolve(Date.now())
      })
      const entered = await promise
      clearTimeout(timer)
      return { name, child, address, entered }
    },
  }
}
