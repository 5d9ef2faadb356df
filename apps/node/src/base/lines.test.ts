import { describe, expect, it } from 'vitest'
import { readLines, type Line } from './lines.ts'

async function lines(limit: number, ...chunks: (string | Uint8Array)[]): Promise<Line[]> {
  async function* input(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  }
  const lines: Line[] = []
  for await (const line of readLines(input(), limit)) lines.push(line)
  return lines
}

describe('lines of input', () => {
  it('come whole, however the input is cut', async () => {
    const expected = [{ text: 'one' }, { text: 'zwölf' }, { text: '' }, { text: 'three' }]
    expect(await lines(100, 'one\nzwölf\n\nthree')).toEqual(expected)
    expect(await lines(100, ...[...Buffer.from('one\nzwölf\n\nthree')].map((byte) => Uint8Array.of(byte)))).toEqual(expected)
  })

  it('end with LF or CRLF', async () => {
    expect(await lines(100, 'one\r\ntwo\nthree\r', '\nfour\r\n')).toEqual([
      { text: 'one' },
      { text: 'two' },
      { text: 'three' },
      { text: 'four' },
    ])
  })

  it('are dropped beyond the limit, and the next one is whole again', async () => {
    expect(await lines(4, 'abcd\nabcde\nabc', 'defghijk', 'l\nok')).toEqual([
      { text: 'abcd' },
      { problem: 'too long' },
      { problem: 'too long' },
      { text: 'ok' },
    ])
  })

  it('are reported when they are not UTF-8', async () => {
    expect(await lines(100, Uint8Array.of(0xff, 0x0a), 'ok\n')).toEqual([{ problem: 'not UTF-8' }, { text: 'ok' }])
  })
})
