import { expect, it } from 'vitest'
import { eventText } from './event-text.ts'

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
