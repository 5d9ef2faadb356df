import { expect, it } from 'vitest'
import { members } from './members.ts'

it('has a column for ranks where members have some', async () => {
  const common = { reach: 'direct', incarnation: 1, joinedAt: 0, location: '', tag: '', addresses: [], state: 'here', since: 0 } as const
  const linesOf = async (nodes: readonly { id: string; rank?: number }[]): Promise<string[] | undefined> =>
    await members.shell?.text?.({ event: 'members', nodes: nodes.map((each) => ({ ...common, ...each })) }, 0)
  const lines = (await linesOf([{ id: 'b', rank: 0 }, { id: 'a' }])) ?? []
  expect(lines[0]).toMatch(/^ID +RANK +STATE/u)
  expect(lines[1]).toMatch(/^b +0 +here/u)
  expect(lines[2]).toMatch(/^a +here/u)
  expect(await linesOf([{ id: 'b' }])).toMatchObject([expect.stringMatching(/^ID +STATE/u), expect.stringMatching(/^b +here/u)])
})

it('lists addresses that members announce as plain text', async () => {
  const node = {
    id: '12D3KooWFcrb6ywHKxycNsmTEj48',
    reach: 'direct',
    incarnation: 1,
    joinedAt: 0,
    location: 'here',
    tag: '',
    // A name in a multiaddr is any UTF-8.
    addresses: ['/dns4/\u001B]0;owned\u0007\u001B[2J\u202Ex/tcp/4001'],
    state: 'here',
    since: 0,
  } as const
  const lines = await members.shell?.text?.({ event: 'members', nodes: [node] }, 0)
  expect(lines?.[1]).toMatch(/here +direct +\/dns4\/\?x\/tcp\/4001$/u)
})
