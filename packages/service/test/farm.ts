/** Pools of a client in this process and of servers in processes of their own. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join as joinPath } from 'node:path'
import type { Pool } from '@jel/jel'
import { afterEach, expect } from 'vitest'
import { serviceClient, type ServiceClient } from '../src/index.ts'
import { join } from './pools.ts'

interface Server {
  readonly id: string
  readonly child: ChildProcess
}

export interface Farm {
  readonly name: string
  readonly pool: Pool
  readonly client: ServiceClient
  readonly servers: Server[]
}

const children: ChildProcess[] = []

/** Ends all processes after each test. Call this at the top of a test file. */
export function killAfterEach(): void {
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })
}

/** Starts a process of this folder. */
export function start(file: string, args: readonly string[], flags: readonly string[] = []): ChildProcess {
  const child = fork(joinPath(import.meta.dirname, file), args, { execArgv: [...flags] })
  children.push(child)
  return child
}

/** Returns flags that move the calendar of a process by `by` ms. */
function calendar(by: number): string[] {
  const code = `const now = Date.now; Date.now = () => now() + ${by}`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}

/** @param apart ms between the calendars of one server and the next */
export async function served(name: string, servers: number, apart = 0): Promise<Farm> {
  const pool = await join(name)
  const all: Server[] = []
  for (let at = 0; at < servers; at++) {
    const child = start(
      'server-process.ts',
      [name, `n${at}@site`, ...pool.self.addresses.slice(0, 1)],
      apart === 0 ? [] : calendar(at * apart),
    )
    const [{ id }] = (await once(child, 'message')) as [{ id: string }]
    all.push({ id, child })
  }
  const client = serviceClient(pool)
  await expect.poll(() => client.services().map(({ standing }) => standing.length), { timeout: 20_000 }).toEqual([3, 3])
  return { name, pool, client, servers: all }
}

/** Kills the primary of a service. */
export function killPrimary({ client, servers }: Farm, name: string): void {
  const primary = client.services().find((each) => each.name === name)?.primary
  const server = servers.find(({ id }) => id === primary)
  expect(server).toBeDefined()
  server?.child.kill('SIGKILL')
}
