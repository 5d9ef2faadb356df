import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { Ring } from './ring.ts'

it('a ring holds the values of ten minutes, and frees those that are out', () => {
  setFlagsFromString('--expose-gc')
  const [collect, ring] = [runInNewContext('gc') as () => void, new Ring()]
  const values = Array.from({ length: 100 }, (_, seq) => {
    const value = [`value ${seq}`]
    ring.push({ seq, at: seq * 10_000, value })
    return new WeakRef(value)
  })
  expect(ring.after(-1).map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, at) => 40 + at))
  return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    collect()
    expect(values.map((value) => value.deref() !== undefined)).toEqual(values.map((_, seq) => seq >= 40))
    // The ring itself must live until here.
    expect(ring.after(98)).toHaveLength(1)
  })
})

it('a ring holds 256 KiB of texts, however young they are', () => {
  const ring = new Ring()
  for (let seq = 0; seq < 1000; seq++) ring.push({ seq, at: seq, value: 'x'.repeat(1022) })
  expect(ring.after(-1).map(({ seq }) => seq)).toEqual(Array.from({ length: 256 }, (_, at) => 744 + at))
})
