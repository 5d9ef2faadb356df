import { joinPool } from '@jel/jel'
import { service } from '@jel/service'
import { expect, it, onTestFinished } from 'vitest'
import { joinAll, JelProcess } from './jel-process.ts'

async function run(node: JelProcess, command: string, ...args: string[]) {
  const asking = new JelProcess([command, 'served', '--node', node.id.slice(-8), ...args])
  const status = await asking.exited
  return { lines: asking.lines, stderr: asking.stderr, status }
}

it('jel services lists the services of a pool, and jel call calls them', async () => {
  const [node] = (await joinAll('served', 2)) as [JelProcess, JelProcess]
  const pool = await joinPool('served', { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap: [node.address] })
  onTestFinished(async () => await pool.leave())
  const echo = await service(pool, 'echo', { version: '2.0.0', call: (input: unknown) => ({ input }) })
  const counter = await service(pool, 'counter', {
    alone: true,
    initial: 0,
    apply: (state: number, by: number) => [state + by, state + by],
  })
  expect(await echo.call(1)).toEqual({ input: 1 })
  expect(await counter.call(1)).toBe(1)
  await expect
    .poll(async () => (await run(node, 'services')).lines)
    .toEqual([
      expect.stringMatching(/^NAME +VERSION +INSTANCES +PRIMARY +REPLICAS +OPERATIONS +NOTE$/u),
      expect.stringMatching(/^counter +1\.0\.0 +\S+ +\S+ +1 of 3: \S+ +1 +0 of 2 backups$/u),
      expect.stringMatching(/^echo +2\.0\.0 +\S+$/u),
    ])
  expect((await run(node, 'call', 'echo', '{"a": [1]}')).lines).toEqual(['{"input":{"a":[1]}}'])
  expect((await run(node, 'call', 'counter', '4', '--key', 'k')).lines).toEqual(['5'])
  expect((await run(node, 'call', 'counter', '4', '--key', 'k')).lines).toEqual(['5'])
  const unknown = await run(node, 'call', 'ecko', '1')
  expect([unknown.status, unknown.stderr]).toEqual([
    1,
    expect.stringContaining('NO_SERVER: no member has the service ecko; known are echo'),
  ])
  expect((await run(node, 'call', 'echo', 'text')).stderr).toContain('the input of a service is JSON')

  await service(pool, 'strict', { initial: 0, apply: (state: number, by: number) => [state + by, state + by] })
  const answer = async (): Promise<unknown> =>
    (JSON.parse((await run(node, 'services', '--json')).lines[0] as string) as { services: unknown[] }).services[2]
  const refusal = { code: 'DEGRADED', message: 'there is no backup: no other member has this service' }
  await expect
    .poll(answer)
    .toMatchObject({ name: 'strict', primary: pool.self.id, status: { backups: [], operations: 0, refusal, epoch: expect.any(Number) } })
  expect((await run(node, 'services')).lines[3]).toMatch(/ 0 +DEGRADED: there is no backup: no other member has this service$/u)
  // With --json a failure is an event on standard output.
  const refused = await run(node, 'call', 'strict', '1', '--json')
  expect([refused.status, refused.lines.length, JSON.parse(refused.lines[0] as string)]).toEqual([
    1,
    1,
    { event: 'error', time: expect.any(Number), pool: 'served', code: 'DEGRADED', message: refusal.message },
  ])
})
