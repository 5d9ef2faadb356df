import { expect, it } from 'vitest'
import { eventText } from './event-text.ts'
import type { NodeEvent } from './events.ts'

it('describes the addresses that a member announces as plain text', () => {
  const node = {
    id: '12D3KooWFcrb6ywHKxycNsmTEj48',
    reach: 'direct' as const,
    incarnation: 1,
    joinedAt: 0,
    location: 'here',
    tag: '',
    // A name in a multiaddr is any UTF-8.
    addresses: ['/dns4/\u001B]0;owned\u0007\u001B[2J\u202Ex/tcp/4001', '/ip4/192.0.2.7/tcp/4001'],
  }
  expect(eventText({ event: 'updated', node })).toMatch(/at \/dns4\/\?x\/tcp\/4001 \/ip4\/192\.0\.2\.7\/tcp\/4001$/u)
})

it.each([
  [{ event: 'asked', members: 1 }, 'asked 1 member'],
  [{ event: 'poolClosed', size: 1 }, 'pool closed with 1 member'],
  [{ event: 'members', nodes: [{}] }, '1 member'],
  [{ event: 'info', members: [{}] }, '1 member'],
  [{ event: 'selected', matching: 1, considered: 1 }, '1 of 1 member matches'],
  [{ event: 'selected', matching: 2, considered: 3 }, '2 of 3 members match'],
  [{ event: 'leases', members: [{}] }, 'leases of 1 member'],
  [{ event: 'ran', ranks: [{}] }, '1 rank has ended'],
  [{ event: 'ran', ranks: [{}, {}] }, '2 ranks have ended'],
  [{ event: 'groups', groups: [{}] }, '1 group'],
  [{ event: 'services', services: [{}] }, '1 service'],
  [{ event: 'unsampled', member: 'a', why: 'lost', count: 1 }, '…a 1 sample was not sent, since this node was slow'],
  [{ event: 'record', name: 'r', owner: 'a', value: 'AA==' }, 'record r of a, 1 byte'],
  [{ event: 'reply', node: { id: 'a', location: 'b', incarnation: 1 }, payload: '/w==' }, 'a (b, incarnation 1): 1 byte'],
  [{ event: 'status', node: { id: 'a' }, members: 1 }, 'a, 1 member'],
  [{ event: 'links', links: [{}] }, '1 link'],
  [{ event: 'links', links: [] }, '0 links'],
  [{ event: 'records', records: [{}] }, '1 record'],
  [{ event: 'allowed', nodes: ['a'] }, '1 node may connect'],
  [{ event: 'jobs', jobs: [{}], more: 0 }, '1 job'],
  // Kinds of a later release.
  [{ event: 'later' }, 'later'],
  [{ event: 'constructor' }, 'constructor'],
])('the event %o has its words in the right number', (event, words) => {
  expect(eventText(event as unknown as NodeEvent)).toBe(words)
})
