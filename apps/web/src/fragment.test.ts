import { expect, it } from 'vitest'
import { keyText, readFragment, servedBy } from './fragment.ts'

const digits = 'ab'.repeat(32)

it.each([
  ['', undefined],
  ['#', undefined],
  ['#render-farm', { pool: 'render-farm' }],
  ['#my%20pool', { pool: 'my pool' }],
  ['#100%', { pool: '100%' }],
  [`#render-farm&key=${digits}`, { pool: 'render-farm', key: `/key/swarm/psk/1.0.0/\n/base16/\n${digits}\n` }],
])('the fragment %s names %j', (fragment, wanted) => {
  expect(readFragment(fragment)).toEqual(wanted)
})

it('a key is the text of its file, or its digits', () => {
  expect(keyText(` ${digits}\n`)).toBe(keyText(keyText(digits)))
  expect(keyText(keyText(digits).replaceAll('\n', ' '))).toBe(keyText(digits))
})

it.each([
  ['http://192.0.2.7:8080/', '/ip4/192.0.2.7/tcp/8080/ws'],
  ['http://[2001:db8::7]:8080/', '/ip6/2001:db8::7/tcp/8080/ws'],
  ['https://pool.example.org/', '/dns/pool.example.org/tcp/443/tls/ws'],
  ['http://localhost/', '/dns/localhost/tcp/80/ws'],
])('the member behind %s is at %s', (url, address) => {
  expect(servedBy(new URL(url))).toBe(address)
})
