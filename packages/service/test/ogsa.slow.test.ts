import { once } from 'node:events'
import { monitor } from '@jel/monitor'
import { describe, expect, it } from 'vitest'
import { create, invoke } from '../examples/instances.ts'
import { killAfterEach, killPrimary, served, start } from './farm.ts'
import { leaveAfterEach } from './pools.ts'

leaveAfterEach()
killAfterEach()

const HOUR = 3_600_000
/** The lifetime of an instance that nobody extends, ms. */
const TERM = 2000
/** A busy machine may answer this much later, ms. */
const SLACK = 3000

describe('the nine operations of OGSA', () => {
  it('hold on servers whose calendars are hours apart, while clients and primaries die', async () => {
    const farm = await served(`ogsa-${process.pid}`, 4, HOUR)
    const { name, pool, client, servers } = farm
    const notes = () => client.services().find((each) => each.name === 'notes')
    // Register: the members state their services.
    await expect.poll(() => notes()?.instances.length).toBe(4)

    // CreateService, SetTerminationTime: a client in a process of its own, which is then killed.
    const child = start('extending-process.ts', [name, String(TERM), ...pool.self.addresses.slice(0, 1)])
    const [{ handle }] = (await once(child, 'message')) as [{ handle: string }]
    let extendedAt = 0
    child.on('message', (message: { at: number }) => (extendedAt = message.at))

    // NotificationSource, NotificationSink: this member is told of each change.
    const farmMonitor = await monitor(pool)
    const told: unknown[] = []
    const watch = farmMonitor.watch({ attributes: ['notes.operations'], every: 100, from: { ids: [servers[0]?.id ?? ''] } })
    void (async () => {
      for await (const event of watch) if (event.type === 'sample') told.push(event.value)
    })()
    await expect.poll(() => told.length).toBeGreaterThan(0)
    const before = Number(told.at(-1))
    await expect.poll(() => Number(told.at(-1))).toBeGreaterThan(before + 2)

    // FindServiceData. The instance has lived longer than its first term.
    await new Promise((resolve) => setTimeout(resolve, TERM))
    expect(await invoke(client, handle, 'read')).toEqual({ text: 'mine' })
    const lasting = await create(client, name, 'notes', { text: 'lasting' }, 60_000)
    const short = await create(client, name, 'notes', { text: 'short' }, 2 * TERM)
    const shortMadeAt = Date.now()

    // FindByHandle: the reference is dead, and the handle resolves anew. The client dies as well.
    killPrimary(farm, 'notes')
    child.kill('SIGKILL')
    const killedAt = Date.now()
    expect(await invoke(client, lasting, 'read')).toEqual({ text: 'lasting' })

    // An instance is gone at its term, and not before, by the calendar of nobody.
    const endOf = async (of: string): Promise<number> => {
      for (;;) {
        try {
          await invoke(client, of, 'read')
        } catch (error) {
          expect(error).toMatchObject({ code: 'CALL_FAILED', message: expect.stringContaining('lifetime is over') })
          return Date.now()
        }
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    const [ownEnd, shortEnd] = await Promise.all([endOf(handle), endOf(short)])
    expect(ownEnd).toBeGreaterThanOrEqual(extendedAt + TERM)
    expect(ownEnd).toBeLessThan(killedAt + TERM + SLACK)
    // No time of the service passes without a primary.
    expect(shortEnd).toBeGreaterThanOrEqual(shortMadeAt + 2 * TERM - 100)
    expect(shortEnd).toBeLessThan(shortMadeAt + 2 * TERM + SLACK)

    // Destroy.
    await invoke(client, lasting, 'destroy')
    await expect(invoke(client, lasting, 'read')).rejects.toMatchObject({ code: 'CALL_FAILED' })

    // Unregister, until nobody has the service. Then a call is refused at once.
    const living = servers.filter(({ child: { signalCode } }) => signalCode === null)
    for (const { child: server } of living) {
      const count = notes()?.instances.length ?? 0
      server.send('close')
      await expect.poll(() => notes()?.instances.length ?? 0).toBe(count - 1)
    }
    const askedAt = performance.now()
    await expect(create(client, name, 'notes', {}, TERM)).rejects.toMatchObject({ code: 'NO_SERVER' })
    expect(performance.now() - askedAt).toBeLessThan(500)
  })
})

describe('the manager of a site', () => {
  it('is followed by the next one when it is killed, with nothing configured', async () => {
    const { pool, servers } = await served(`managers-${process.pid}`, 4)
    const watcher = await monitor(pool)
    const samples: { readonly at: number; readonly from: string; readonly count: number | undefined }[] = []
    const watch = watcher.watch({ attributes: ['notes.operations'], every: 100, by: 'site', from: { location: 'site' } })
    void (async () => {
      for await (const event of watch)
        if (event.type === 'sample') samples.push({ at: performance.now(), from: event.member, count: event.count })
    })()
    await expect.poll(() => samples.at(-1)?.count).toBe(4)
    const managers: string[] = []
    for (const left of [3, 2]) {
      const manager = samples.at(-1)?.from ?? ''
      managers.push(manager)
      const killedAt = performance.now()
      servers.find(({ id }) => id === manager)?.child.kill('SIGKILL')
      const next = () => samples.find(({ at, from }) => at > killedAt && from !== manager)
      await expect.poll(next).toBeDefined()
      // A second on a quiet machine.
      expect((next()?.at ?? Infinity) - killedAt).toBeLessThan(SLACK)
      await expect.poll(() => samples.at(-1)?.count).toBe(left)
    }
    expect(new Set(managers).size).toBe(2)
  })
})
