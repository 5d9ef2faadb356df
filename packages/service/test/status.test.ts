import type { Pool } from '@jel/jel'
import { expect, it } from 'vitest'
import { service, serviceClient } from '../src/index.ts'
import { leaveAfterEach, poolsOf } from './pools.ts'

leaveAfterEach()

const counter = { replicas: 2, initial: 0, apply: (state: number, by: number): [number, number] => [state + by, state + by] }

it('any member asks a primary for its backups and operations, and why it takes none', async () => {
  const [one, two, three] = (await poolsOf(3)) as [Pool, Pool, Pool]
  const client = serviceClient(three)
  const first = await service(one, 'counter', counter)
  await expect.poll(async () => (await client.statusOf('counter', one.self.id)).role).toBe('primary')
  expect(await client.statusOf('counter', one.self.id)).toEqual({
    role: 'primary',
    primary: one.self.id,
    epoch: expect.any(Number),
    backups: [],
    operations: 0,
    refusal: { code: 'DEGRADED', message: 'there is no backup: no other member has this service' },
  })
  const second = await service(two, 'counter', counter)
  await expect.poll(async () => (await client.statusOf('counter', one.self.id)).backups).toEqual([two.self.id])
  expect(await first.call(5)).toBe(5)
  expect(await client.statusOf('counter', one.self.id)).toMatchObject({ backups: [two.self.id], operations: 1, refusal: undefined })
  expect(await client.statusOf('counter', two.self.id)).toMatchObject({ role: 'backup', backups: [], operations: 1 })
  // The own part needs no stream.
  expect(await serviceClient(one).statusOf('counter', one.self.id)).toEqual(await client.statusOf('counter', one.self.id))
  await service(one, 'echo', { call: (input: unknown) => input })
  for (const name of ['echo', 'none']) await expect(client.statusOf(name, one.self.id)).rejects.toMatchObject({ code: 'NO_SERVER' })
  await expect(client.statusOf('counter', three.self.id)).rejects.toMatchObject({ code: 'NO_SERVER' })
  await second.close()
  await expect
    .poll(async () => (await client.statusOf('counter', one.self.id)).refusal)
    .toEqual({ code: 'DEGRADED', message: 'there is no backup: no other member has this service' })
  // A status is no operation, and the stream still carries calls.
  expect(await client.call('echo', 'hi')).toBe('hi')
  expect(first.status?.operations).toBe(1)
})
