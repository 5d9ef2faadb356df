import { expect, it } from 'vitest'
import { FakeOverlay, member } from '../test/fake-overlay.ts'
import { Pool } from './pool/pool.ts'
import { textOf } from './text-of.ts'

it('a tag, a payload and a value of a record come back as the text that went in', async () => {
  const overlay = new FakeOverlay(member('A'))
  const pool = new Pool(overlay, { joins: 'unreliable', elections: 'non-uniform' })
  const heard: (string | undefined)[] = []
  pool.addEventListener('event', ({ detail: { payload } }) => heard.push(textOf(payload)))
  for (const text of ['', 'gpü', '\u{FEFF}marked']) {
    await pool.setTag(text)
    await pool.broadcast('said', text)
    expect(textOf(pool.self.tag)).toBe(text)
    await expect.poll(() => heard.pop()).toBe(text)
    expect(textOf((await pool.publish('said', text, { ttl: 1000 })).value ?? Uint8Array.of(0xff))).toBe(text)
  }
})

it.each([[[0xff]], [[0x67, 0xc3]], [[0xed, 0xa0, 0x80]]])('bytes that are not UTF-8 have no text: %j', (bytes) => {
  expect(textOf(Uint8Array.from(bytes))).toBeUndefined()
})
