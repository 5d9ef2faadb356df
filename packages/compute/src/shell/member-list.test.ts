import type { Member, Pool } from '@jel/jel'
import { describe, expect, it } from 'vitest'
import { Records } from '../../test/records.ts'
import type { Input } from '../core/io.ts'
import { acceptanceOf, encodeAcceptance } from './acceptance.ts'
import { JOB_PREFIX } from './job-record.ts'
import { CONSTANT, MemberList } from './member-list.ts'

const accepts = acceptanceOf(undefined, 'me')

/** The part of a pool that the list of members uses. */
function poolOf(self: string, records = new Records(), members: Partial<Member>[] = []): { pool: Pool; change: () => void } {
  const constants = new Map<string, Uint8Array>()
  const events = new EventTarget()
  const pool = {
    self: { id: self, incarnation: 1 },
    addEventListener: events.addEventListener.bind(events),
    members: () => [{ id: self, location: 'here', constants }, ...members],
    publish(name: string) {
      records.publish(self, name)
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

const other = (id: string, ...said: number[]): Partial<Member> => ({
  id,
  location: 'there',
  constants: new Map(said.map((byte) => [CONSTANT, Uint8Array.of(byte)])),
})

describe('the members that take part in computing', () => {
  it('displace none of ten long jobs of one owner, though ten thousand members come and go in a day', async () => {
    const records = new Records()
    const jobs = Array.from({ length: 10 }, (_, number) => `${JOB_PREFIX}${number}`)
    for (const job of jobs) records.publish('owner', job)
    for (let came = 0; came < 10_000; came++) {
      const memberList = new MemberList(poolOf(`m${came}`, records).pool, { isClient: came % 2 === 0, accepts }, () => {})
      await memberList.start()
      await memberList.close()
    }
    expect(new Set(records.held)).toEqual(new Set(jobs))
  })

  it('announce themselves in their constants; a client does not, and is known to members that hear it', async () => {
    const members = [other('takes part', 1), other('silent')]
    const { pool, change } = poolOf('self', undefined, members)
    const inputs: Input[] = []
    const memberList = new MemberList(pool, { isClient: false, accepts }, (some) => inputs.push(...some))
    await memberList.start()
    expect(pool.members()[0]?.constants.get(CONSTANT)).toEqual(Uint8Array.of(1, ...encodeAcceptance(accepts)))
    expect(memberList.members).toEqual(['takes part'])
    expect(inputs).toMatchObject([{ member: { isClient: false } }])
    memberList.heard('silent')
    expect(inputs.at(-1)).toMatchObject({ type: 'joined', member: { id: 'silent', isClient: true } })
    expect(memberList.members).not.toContain('silent')
    members[1] = other('silent', 1)
    change()
    await expect.poll(() => memberList.members).toContain('silent')
    expect(inputs.at(-1)).toMatchObject({ type: 'joined', member: { id: 'silent', isClient: false } })
  })

  it('that accept other programs after a restart within one turn are reported anew', async () => {
    const [before, after] = [poolOf('worker'), poolOf('worker')]
    await new MemberList(before.pool, { isClient: false, accepts }, () => {}).start()
    await new MemberList(after.pool, { isClient: false, accepts: { ...accepts, anybody: !accepts.anybody } }, () => {}).start()
    const members = [...before.pool.members()]
    const self = poolOf('self', undefined, members)
    const inputs: Input[] = []
    await new MemberList(self.pool, { isClient: false, accepts }, (some) => inputs.push(...some)).start()
    members.splice(0, 1, ...after.pool.members())
    self.change()
    await expect.poll(() => inputs.length).toBe(2)
    expect(inputs).toMatchObject([{ member: { accepts } }, { member: { accepts: { anybody: !accepts.anybody } } }])
  })

  it('announce whether they have workers', async () => {
    const worker = poolOf('worker')
    await new MemberList(worker.pool, { isClient: false, accepts }, () => {}).start()
    const keeper = poolOf('keeper')
    const inputs: Input[] = []
    await new MemberList(keeper.pool, { isClient: false, accepts: undefined }, () => {}).start()
    const members = [...worker.pool.members(), ...keeper.pool.members()]
    const memberList = new MemberList(poolOf('self', undefined, members).pool, { isClient: false, accepts }, (some) => inputs.push(...some))
    await memberList.start()
    expect(inputs).toMatchObject([{ member: { id: 'worker', computes: true, accepts } }, { member: { id: 'keeper', computes: false } }])
  })
})
