import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { onTestFinished, expect, test } from 'vitest'
import type { Pool, PoolOptions } from '../src/index.ts'
import { join, poolName } from './pools.ts'

const strong = { joins: 'reliable', elections: 'uniform' } as const
const founder: PoolOptions = { ...strong, ledger: { found: true } }

/**
 * A founder and other members, all in one ledger, once it has the voters that so many members
 * allow.
 */
async function ledgerOf(count: number, optionsOf: (place: number) => PoolOptions = () => ({})): Promise<Pool[]> {
  const name = poolName()
  const first = await join(name, [], { ...founder, ...optionsOf(0) })
  const others = await Promise.all(Array.from({ length: count - 1 }, (_, i) => join(name, [first], { ...strong, ...optionsOf(i + 1) })))
  const all = [first, ...others]
  const voters = Math.min(5, count - ((count + 1) % 2))
  await until(() => all.every(({ ledger }) => ledger?.voters.length === voters))
  return all
}

async function until(holds: () => boolean, ms = 20_000): Promise<void> {
  for (const end = performance.now() + ms; !holds();) {
    if (performance.now() > end) throw new Error('it never holds')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** All events of a pool from now on, as text. */
function eventsOf(pool: Pool): string[] {
  const events: string[] = []
  for (const type of ['joined', 'left', 'died'] as const)
    pool.addEventListener(type, ({ detail: { id, index, rank } }) => events.push(`${type} ${id.slice(-4)} ${index} ${rank}`))
  pool.addEventListener('elected', ({ detail: { election, epoch, winner } }) =>
    events.push(`elected ${election} ${epoch} ${winner.id.slice(-4)}`),
  )
  pool.addEventListener('ordered', ({ detail: { index, name, payload } }) => events.push(`ordered ${name} ${index} ${String(payload)}`))
  return events
}

const leaderOf = (all: readonly Pool[]): Pool => all.find(({ self, ledger }) => ledger?.leader === self.id) as Pool

test('all members have the same members, ranks, reigns and messages, in one order', async () => {
  const all = await ledgerOf(5)
  const [first] = all as [Pool]
  const order = first.members({ order: 'join' }).map(({ id, rank, index }) => ({ id, rank, index }))
  expect(order.map(({ rank }) => rank)).toEqual([0, 1, 2, 3, 4])
  await until(() => all.every((pool) => pool.members().length === 5))
  for (const pool of all) expect(pool.members({ order: 'join' })).toMatchObject(order)
  const events = all.map(eventsOf)
  const reigns = await Promise.all(all.map(async (pool) => await pool.elect('master')))
  expect(new Set(reigns.map(({ epoch, winner }) => `${epoch} ${winner.id}`)).size).toBe(1)
  const indexes = await Promise.all(
    all.flatMap((pool, at) => Array.from({ length: 20 }, async (_, i) => (await pool.order('row', new Uint8Array([at, i]))).index)),
  )
  expect(new Set(indexes).size).toBe(100)
  await until(() => events.every((each) => each.length === 101))
  for (const each of events) expect(each).toEqual(events[0])
  // Each member's own messages keep their order.
  const ofOne = events[0]?.flatMap((event) => /^ordered row \d+ 3,(?<number>\d+)/u.exec(event)?.groups?.['number'] ?? [])
  expect(ofOne).toEqual(Array.from({ length: 20 }, (_, i) => String(i)))
  const confirmed = await Promise.all(all.map(async (pool) => await pool.confirm('master')))
  for (const reign of confirmed) expect(reign).toMatchObject({ epoch: reigns[0]?.epoch, winner: { id: reigns[0]?.winner.id } })
  expect(await first.confirm('nothing')).toBeUndefined()
})

test('an election that some hold in the ledger and others do not brings a warning', async () => {
  const [first, second] = (await ledgerOf(2)) as [Pool, Pool]
  const warned = [first, second].map((pool) => {
    const codes: string[] = []
    pool.addEventListener('warning', ({ detail: { code } }) => codes.push(code))
    return codes
  })
  const weak = await join(first.name, [first], {})
  await weak.elect('master')
  await weak.elect('other')
  await until(() => first.members({ agreed: false }).length === 3)
  await second.elect('master')
  await until(() => warned.every((codes) => codes.includes('MIXED_CONSISTENCY')))
  await weak.elect('later')
  const again = await first.elect('later')
  expect(again.winner.id).toBe(first.self.id)
  await until(() => warned.every((codes) => codes.filter((code) => code === 'MIXED_CONSISTENCY').length === 2))
})

test('the next candidate reigns when the winner, or the leader, crashes', async () => {
  const all = await ledgerOf(7)
  const leader = leaderOf(all)
  const [winner, ...candidates] = all.filter((pool) => pool !== leader) as [Pool, ...Pool[]]
  const { epoch } = await winner.elect('master')
  await Promise.all([...candidates, leader].map(async (pool) => await pool.elect('master')))
  await winner.libp2p.stop()
  const left = all.filter((pool) => pool !== winner)
  const next = (): string[] =>
    left.map((pool) =>
      pool
        .reigns()
        .map((reign) => `${reign.epoch} ${reign.winner.id}`)
        .join(),
    )
  await until(() => new Set(next()).size === 1 && !next()[0]?.endsWith(winner.self.id))
  const [second] = left[0]?.reigns() ?? []
  expect(second?.epoch).toBeGreaterThan(epoch)
  await leader.libp2p.stop()
  const rest = left.filter((pool) => pool !== leader)
  await until(() => rest.every((pool) => pool.members().length === 5))
  const { index } = await (rest[0] as Pool).order('goes on', '')
  expect(index).toBeGreaterThan(second?.epoch ?? Infinity)
  await until(() => rest.every(({ ledger }) => ledger?.voters.length === 5 && ledger.voters.every(({ reachable }) => reachable)))
})

test('members that leave one by one take nothing with them, down to the last one', async () => {
  const all = await ledgerOf(5)
  const indexes: number[] = []
  // The leader leaves first.
  const leader = leaderOf(all)
  const leaving = [leader, ...all.filter((pool) => pool !== leader)]
  for (const [at, pool] of leaving.entries()) {
    const last = leaving.at(-1) as Pool
    indexes.push((await last.order('still', '')).index)
    if (pool === last) break
    await pool.leave()
    await until(() => last.members().length === 4 - at)
  }
  expect(indexes).toEqual(indexes.toSorted((a, b) => a - b))
})

test('a closed pool takes as many ids as its size, founded by all of them at once', async () => {
  const name = poolName()
  const closed = { ...strong, poolSize: 5 }
  // A member without a ledger lets the others in: they wait for a majority.
  const introducer = await join(name)
  const founders = await Promise.all(Array.from({ length: 4 }, async () => await join(name, [introducer], closed)))
  // The ledger says the size to a member that does not give it.
  const all = [...founders, await join(name, [introducer], strong)]
  expect(all.map(({ poolSize }) => poolSize)).toEqual([5, 5, 5, 5, 5])
  await Promise.all(all.map(async (pool) => await pool.waitForPoolClosed()))
  expect(new Set(all.map(({ self }) => self.rank))).toEqual(new Set([0, 1, 2, 3, 4]))
  await expect(join(name, [all[0] as Pool], closed)).rejects.toMatchObject({ code: 'POOL_CLOSED' })
})

test('a ledger in files comes back when all members start anew, at other addresses', async () => {
  const folder = mkdtempSync(pathOf(tmpdir(), 'jel-ledger-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = (place: number): PoolOptions => ({ identityFile: pathOf(folder, `${place}.json`) })
  const all = await ledgerOf(3, file)
  const before = await (all[0] as Pool).order('kept', 'x')
  const { epoch } = await (all[1] as Pool).elect('master')
  for (const pool of all) await pool.libp2p.stop()
  await Promise.all(all.map(async (pool) => await pool.closed))
  // A host that was stopped in this process still holds its lock.
  const copy = (place: number): PoolOptions => {
    for (const end of ['', '.ledger']) copyFileSync(pathOf(folder, `${place}.json${end}`), pathOf(folder, `${place}b.json${end}`))
    return { ...strong, identityFile: pathOf(folder, `${place}b.json`) }
  }
  const name = all[0]?.name as string
  const introducer = await join(name)
  const again = await Promise.all([0, 1, 2].map(async (place) => await join(name, [introducer], copy(place))))
  const { index } = await (again[2] as Pool).order('again', '')
  expect(index).toBeGreaterThan(before.index)
  expect(again.map(({ self }) => self.rank)).toEqual(all.map(({ self }) => self.rank))
  const reign = await (again[0] as Pool).elect('master')
  expect(reign.epoch).toBeGreaterThan(epoch)
})

test('a lost majority stops the ledger, and a person gives it a new beginning', async () => {
  const all = await ledgerOf(4)
  const voters = new Set(all[0]?.ledger?.voters.map(({ id }) => id))
  const [first, second, survivor] = all.filter(({ self }) => voters.has(self.id)) as [Pool, Pool, Pool]
  const reader = all.find(({ self }) => !voters.has(self.id)) as Pool
  const { epoch } = await reader.elect('master')
  await Promise.all([first, second].map(async (pool) => await pool.libp2p.stop()))
  await until(() => survivor.ledger?.state === 'no-majority' && reader.ledger?.state === 'no-majority')
  await expect(survivor.order('x', '', { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
    code: 'NO_MAJORITY',
    message: expect.stringContaining(first.self.id),
  })
  await until(() => [survivor, reader].every((pool) => pool.members({ agreed: false }).length === 2))
  await expect(survivor.recoverLedger(1)).rejects.toMatchObject({ code: 'LEDGER_RECOVERY' })
  // Calls wait through it.
  const waiting = Promise.all([reader.elect('later'), reader.order('later', '')])
  await survivor.recoverLedger(2)
  const [later] = await waiting
  expect(later.epoch).toBeGreaterThan(2 ** 32)
  const { index } = await reader.order('goes on', '')
  expect(index).toBeGreaterThan(2 ** 32)
  await until(() => [survivor, reader].every((pool) => pool.ledger?.generation === 2 && pool.members().length === 2))
  // The reign goes on under an epoch that no lost one can have had.
  const confirmed = await survivor.confirm('master')
  expect(confirmed?.winner.id).toBe(reader.self.id)
  expect(confirmed?.epoch).toBeGreaterThan(epoch + 2 ** 31)
  reader.withdraw('master')
  await until(() => survivor.reigns().every(({ election }) => election !== 'master'))
  expect((await survivor.elect('master')).epoch).toBeGreaterThan(2 ** 32)
  // It grows again.
  await join(survivor.name, [survivor], strong)
  await until(() => survivor.ledger?.voters.length === 3)
})

test('a member in a worker thread, and one without a vote, take part', async () => {
  const all = await ledgerOf(3, (place) => (place === 1 ? { thread: 'worker' } : {}))
  const silent = await join(all[0]?.name as string, all, { ...strong, ledger: { vote: false } })
  const pools = [...all, silent]
  // Others may learn of the join later than the member itself.
  await until(() => pools.every((pool) => pool.members().length === 4))
  const events = pools.map(eventsOf)
  await Promise.all(pools.map(async (pool) => await pool.order('hello', '')))
  await until(() => events.every((each) => each.length === 4))
  for (const each of events) expect(each).toEqual(events[0])
  expect(all[0]?.ledger?.voters.some(({ id }) => id === silent.self.id)).toBe(false)
})
