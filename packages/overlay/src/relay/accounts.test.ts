import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { expect, it, vi } from 'vitest'
import { Accounts } from './accounts.ts'

const IDS = ['12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp', '12D3KooWRhabzwWhqGKPhYMqEuNLYGwGNKded4wc8XiRKrkcixUP'] as const
const MB = 1_000_000
const from = (id: string, host: string) => ({ remotePeer: peerIdFromString(id), remoteAddr: multiaddr(`/ip4/${host}/tcp/4001`) })
const charge = (accounts: Accounts, peer: ReturnType<typeof from>, bytes: number): number =>
  Math.max(...accounts.of(peer).map((account) => account.charge(bytes)))

it('members of one network share its rate, and all members share that of the relay', () => {
  const accounts = new Accounts()
  expect(charge(accounts, from(IDS[0], '11.0.0.1'), 16 * MB)).toBe(0)
  expect(charge(accounts, from(IDS[1], '11.0.0.1'), 6 * MB)).toBeCloseTo(1_000, -1)
  const other = new Accounts()
  charge(other, from(IDS[0], '11.0.0.1'), 16 * MB)
  expect(charge(other, from(IDS[1], '11.0.0.2'), 6 * MB)).toBeCloseTo(500, -1)
})

it('a debt outlives the circuits that made it, until it is paid', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const accounts = new Accounts()
    const member = from(IDS[0], '11.0.0.1')
    {
      using _ = accounts.reserve(accounts.of(member))
      charge(accounts, member, 40 * MB)
    }
    accounts.forgetSettled()
    expect(charge(accounts, member, 0)).toBeGreaterThan(3_000)
    vi.advanceTimersByTime(10_000)
    accounts.forgetSettled()
    expect(charge(accounts, member, 16 * MB)).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

it('an account is full at its number of circuits, and one circuit counts once', () => {
  const accounts = new Accounts()
  const member = from(IDS[0], '11.0.0.1')
  const [account] = accounts.of(member)
  const held = Array.from({ length: 64 }, () => accounts.reserve([...accounts.of(member), ...accounts.of(from(IDS[1], '11.0.0.1'))]))
  expect([account?.isFull, accounts.all.circuits]).toEqual([true, 64])
  for (const each of held) each[Symbol.dispose]()
  expect([account?.isFull, accounts.all.circuits]).toEqual([false, 0])
})
