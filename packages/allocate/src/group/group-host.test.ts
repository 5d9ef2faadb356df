import type { Pool } from '@jel/jel'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Granter } from '../shell/granter.ts'
import { GroupHost, type GivenGroup } from './group-host.ts'

afterEach(() => void vi.restoreAllMocks())

/** A member without a network that takes one rank. */
function member(members: () => unknown[] = () => [{ id: 'me', location: 'n@site' }]): { granter: Granter; host: GroupHost } {
  const pool = { self: { id: 'me', incarnation: 1 }, members } as unknown as Pool
  const granter = new Granter(
    pool,
    () => true,
    (effect) => host.leased(effect),
    () => ({ ranks: [], starts: [] }),
  )
  const host = new GroupHost(pool, (input) => granter.deliver(input))
  granter.offer('ranks', 1)
  return { granter, host }
}

const given: GivenGroup = {
  group: 'group-0000000000',
  program: 'p',
  candidates: ['me'],
  count: 1,
  atLeast: 1,
  grows: false,
  spares: 0,
  amounts: { ranks: 1 },
  for: 86_400_000,
  date: 0,
  input: undefined,
  timeout: 1000,
}
const none = async (): Promise<string[]> => await Promise.resolve([])

describe('a member that starts a group', () => {
  it('is refused by a member whose own function throws, and the error is thrown later', async () => {
    const later: (() => void)[] = []
    vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) => void later.push(task))
    const { granter, host } = member()
    host.serve(
      'p',
      () => 1,
      () => {
        throw new Error('it is broken')
      },
    )
    await expect(host.want(given, none)).rejects.toMatchObject({ code: 'NEVER' })
    expect(later).toHaveLength(1)
    expect(later[0]).toThrow('it is broken')
    expect([host.list(granter.holds()), granter.holds()]).toEqual([{ ranks: [], starts: [] }, []])
  })

  it('holds nothing if the start throws', async () => {
    const { granter, host } = member(() => {
      throw new Error('no members')
    })
    host.serve(
      'p',
      () => 1,
      () => true,
    )
    await expect(host.want(given, none)).rejects.toThrow('no members')
    expect([host.list(granter.holds()), granter.holds(), granter.list()]).toEqual([{ ranks: [], starts: [] }, [], []])
  })

  it('gets the output of a rank, unless it is too long for one message', async () => {
    const { host } = member()
    host.serve(
      'p',
      async (_group, _input, { output }) => {
        await new Promise((resolve) => setTimeout(resolve))
        await output('stdout', 'x'.repeat(65_536))
        await output('stdout', 'x'.repeat(65_537))
      },
      () => true,
    )
    const run = await host.want(given, none)
    const got: number[] = []
    run.onOutput(({ text }) => got.push(text.length))
    expect(await run.ended).toEqual([{ error: 'the output has 65537 characters; at most 65536 are allowed' }])
    expect(got).toEqual([65_536])
  })
})
