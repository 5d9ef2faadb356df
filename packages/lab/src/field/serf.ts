/**
 * HashiCorp Serf, with its profile for local networks, and one agent for each node. The benchmark
 * reads the agents' events from their logs.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { keep } from '../base/child.ts'
import { within } from '../base/wait.ts'
import { START_TIMEOUT, type NodeCommand, type NodeListener, type NodeProcess } from '../swarm/start-node.ts'
import type { Contender } from './contender.ts'

const PORT = 7000
const RPC_PORT = 17_000

const EVENTS: Readonly<Record<string, 'joined' | 'left' | 'died'>> = {
  EventMemberJoin: 'joined',
  EventMemberLeave: 'left',
  EventMemberFailed: 'died',
}

/** Returns undefined if Serf is not installed. */
export function serf(): Contender | undefined {
  const { status, stdout } = spawnSync('serf', ['version'], { encoding: 'utf8' })
  if (status !== 0) return undefined
  const version = stdout.split('\n')[0]?.replace(/^serf v?/iu, '') ?? ''
  return {
    name: 'Serf',
    title: `Serf ${version}`,
    bin: 'serf',
    start,
    args: (host, number) => [`n${number}`, `${host.address}:${PORT + number}`, `127.0.0.1:${RPC_PORT + number}`],
  }
}

/** Starts one agent. Resolves when it has entered. */
async function start({ bin, args, introducer, within: outer = [] }: NodeCommand, listener: NodeListener): Promise<NodeProcess> {
  const [name = '', address = '', rpc = ''] = args
  const [nsenter = '', ...rest] = outer
  const spawned = Date.now()
  const agent = [bin, 'agent', `-node=${name}`, `-bind=${address}`, `-rpc-addr=${rpc}`, '-profile=lan']
  const child = keep(spawn(nsenter, [...rest, ...agent, ...(introducer === undefined ? [] : [`-join=${introducer}`])]))
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  child.once('error', reject)
  child.once('exit', (code, signal) => {
    listener.ended(name, code ?? signal)
    reject(new Error(`serf agent ended with ${code ?? signal}`))
  })
  child.stderr.resume()
  createInterface(child.stdout).on('line', (line) => {
    const [, type = '', about = ''] = / serf: (EventMember\w+): (\S+)/u.exec(line) ?? []
    const event = EVENTS[type]
    if (event !== undefined) listener.line(name, { event, time: Date.now(), node: { id: about, incarnation: 1, addresses: [] } })
    if ((introducer === undefined && about === name) || line.includes('agent: joined:')) resolve(Date.now())
  })
  return { child, id: name, address, spawned, entered: await within(START_TIMEOUT, `the entry of ${name}`, promise) }
}
