import type { Member, Pool } from '@jel/jel'
import { factOf, FairOrder, StatementCodec } from '@jel/protocol/internals'
import { describe, expect, it } from 'vitest'
import type { Input } from '../core/io.ts'
import { DEFAULT_KEEP, JOB_PREFIX, MEMBER_PREFIX } from './job-record.ts'
import { CONSTANT, Roster } from './roster.ts'

const NOW = 1_800_000_000_000
/** Records of a pool. */
const ROOM = 4096
const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

/** The records of a pool, in which those make way that do in a real one. */
class Records {
  readonly #order = new FairOrder()
  readonly #codec = new StatementCodec('pool', {
    sign: () => crypto.getRandomValues(new Uint8Array(64)),
    verify: () => true,
  })
  readonly names = new Map<string, string>()
  /** Of the one that was published last. */
  ttl = 0

  withdraw(owner: string, name: string): void {
    const held = this.#order.facts().find(({ key: of }) => of.includes(owner) && this.names.get(of) === name)
    if (held !== undefined) this.#order.remove(held)
  }

  publish(owner: string, name: string): void {
    const content = { kind: 'record', name, version: NOW, expires: NOW + 1, value: key(1), withdrawn: false } as const
    const fact = factOf({ statement: this.#codec.sign(owner, content) })
    this.#order.add(fact)
    this.names.set(fact.key, name)
    const last = this.#order.last()
    if (this.#order.size > ROOM && last !== undefined) this.#order.remove(last)
  }

  get held(): (string | undefined)[] {
    return this.#order.facts().map((fact) => this.names.get(fact.key))
  }
}

/** A pool in which others are, as a roster sees it. */
function poolOf(self: string, records = new Records(), members: Partial<Member>[] = []): { pool: Pool; change: () => void } {
  const constants = new Map<string, Uint8Array>()
  const events = new EventTarget()
  const pool = {
    self: { id: self, incarnation: 1 },
    addEventListener: events.addEventListener.bind(events),
    members: () => [{ id: self, location: 'here', constants }, ...members],
    records: () => [{ name: MEMBER_PREFIX, owner: 'voted before', value: key(9) }],
    publish(name: string, _: Uint8Array, { ttl }: { ttl: number }) {
      records.publish(self, name)
      records.ttl = ttl
      return Promise.resolve()
    },
    unpublish(name: string) {
      records.withdraw(self, name)
      return Promise.resolve()
    },
    setConstant(name: string, value: Uint8Array | undefined) {
      if (value === undefined) constants.delete(name)
      else constants.set(name, value)
      return Promise.resolve()
    },
  }
  return { pool: pool as unknown as Pool, change: () => void events.dispatchEvent(new Event('updated')) }
}

const other = (id: string, ...ofKey: Uint8Array[]): Partial<Member> => ({
  id,
  location: 'there',
  constants: new Map(ofKey.map((each) => [CONSTANT, each])),
})

describe('the members that take part in computing', () => {
  it('leave ten long jobs of one owner where they are, ten thousand of them coming and going in a day', async () => {
    const records = new Records()
    const jobs = Array.from({ length: 10 }, (_, number) => `${JOB_PREFIX}${number}`)
    for (const job of jobs) records.publish('owner', job)
    for (let visit = 0; visit < 10_000; visit++) {
      const roster = new Roster(poolOf(`m${visit}`, records).pool, { key: visit % 2 === 0 ? undefined : key(1), computes: true }, () => {})
      await roster.start()
      await roster.close()
    }
    expect(new Set(records.held)).toEqual(new Set(jobs))
  })

  it('say so in their own statements; a visitor says nothing, and is known where it speaks', async () => {
    const members = [other('takes part', key(2)), other('voted before'), other('silent')]
    const { pool, change } = poolOf('self', undefined, members)
    const inputs: Input[] = []
    const roster = new Roster(pool, { key: key(1), computes: true }, (some) => inputs.push(...some))
    await roster.start()
    expect(pool.members()[0]?.constants.get(CONSTANT)).toEqual(key(1))
    // One that voted in a former process, and computes no longer, does not.
    expect(roster.members).toEqual(['takes part'])
    expect(inputs).toMatchObject([{ member: { visits: false } }])
    roster.heard('silent')
    expect(inputs.at(-1)).toMatchObject({ type: 'joined', member: { id: 'silent', visits: true } })
    expect(roster.members).not.toContain('silent')
    members[2] = other('silent', key(3))
    change()
    await expect.poll(() => roster.members).toContain('silent')
    expect(inputs.at(-1)).toMatchObject({ type: 'joined', member: { id: 'silent', visits: false } })
    expect([roster.keyOf('silent'), roster.keyOf('voted before')]).toEqual([key(3), key(9)])
  })

  it('say whether they have workers', async () => {
    const worker = poolOf('worker')
    await new Roster(worker.pool, { key: key(1), computes: true }, () => {}).start()
    const keeper = poolOf('keeper')
    const inputs: Input[] = []
    await new Roster(keeper.pool, { key: key(2), computes: false }, () => {}).start()
    const members = [...worker.pool.members(), ...keeper.pool.members()]
    await new Roster(poolOf('self', undefined, members).pool, { key: key(3), computes: true }, (some) => inputs.push(...some)).start()
    expect(inputs).toMatchObject([{ member: { id: 'worker', computes: true } }, { member: { id: 'keeper', computes: false } }])
  })

  it('publish the keys of their votes once they vote, as these outlive them', async () => {
    const records = new Records()
    const { pool } = poolOf('self', records)
    const roster = new Roster(pool, { key: key(1), computes: true }, () => {})
    await roster.start()
    expect(records.held).toEqual([])
    roster.voted()
    roster.voted()
    expect(records.held).toEqual([MEMBER_PREFIX])
    await roster.close()
    expect(pool.members()[0]?.constants.has(CONSTANT)).toBe(false)
    expect(records.held).toEqual([MEMBER_PREFIX])
    // Results are kept for a week.
    expect(records.ttl).toBeGreaterThan(DEFAULT_KEEP)
  })
})
