import { describe, expect, it } from 'vitest'
import type { Value } from '../expression/value.ts'
import type { Row, Since } from './row.ts'
import { Watching } from './watching.ts'
import { parseWatch, type WatchSpec } from './watch-spec.ts'

/** A producer whose attributes have values that follow from the time. */
class Producer {
  now = 0
  runs = 0
  readonly rows = new Map<string, Row[]>()
  readonly #machine = new Watching(() => 0.5, 1_000_000)
  readonly #valueOf: (name: string, now: number) => Value | undefined
  #wakeAt = Infinity

  constructor(valueOf: (name: string, now: number) => Value | undefined) {
    this.#valueOf = valueOf
  }

  watch(id: string, spec: WatchSpec, since: Readonly<Record<string, Since>> = {}): void {
    this.rows.set(id, [])
    this.feed({ type: 'watch', watch: id, spec: parseWatch(spec), since })
  }

  feed(input: Parameters<Watching['handle']>[0]): void {
    for (const effect of this.#machine.handle(input, this.now)) {
      if (effect.type === 'timer') this.#wakeAt = effect.at
      else if (effect.type === 'send') this.rows.get(effect.watch)?.push(...effect.rows)
      else {
        this.runs++
        const value = this.#valueOf(effect.name, this.now)
        const { name } = effect
        this.feed(
          value === undefined
            ? { type: 'failed', name, problem: { code: 'SENSOR_FAILED', message: 'no' } }
            : { type: 'measured', name, value },
        )
      }
    }
  }

  pass(time: number): void {
    const end = this.now + time
    while (this.#wakeAt <= end) {
      this.now = Math.max(this.now, this.#wakeAt)
      this.#wakeAt = Infinity
      this.feed({ type: 'timer' })
    }
    this.now = end
  }

  values(id: string): Value[] {
    return (this.rows.get(id) ?? []).flatMap((row) => (row.type === 'sample' ? [row.value] : []))
  }
}

describe('a producer of watched values', () => {
  it('measures nothing while nobody watches', () => {
    const producer = new Producer(() => 1)
    producer.pass(600_000)
    expect(producer.runs).toBe(0)
    producer.watch('a', { attributes: ['x'] })
    producer.pass(10_000)
    expect(producer.runs).toBe(11)
    producer.feed({ type: 'unwatch', watch: 'a' })
    producer.pass(1_200_000)
    expect(producer.runs).toBe(11)
  })

  it('measures once for all watchers, as often as the fastest one wants', () => {
    const producer = new Producer((_, now) => now)
    producer.watch('fast', { attributes: ['x'], every: 200 })
    producer.watch('slow', { attributes: ['x'], every: 1000 })
    producer.pass(10_000)
    expect(producer.runs).toBe(51)
    expect(producer.values('fast')).toHaveLength(51)
    expect(producer.values('slow')).toHaveLength(11)
  })

  it('sends one sample for each crossing of a threshold', () => {
    // A sawtooth from 0 to 1 in ten seconds: it is above a half from 5 s to 10 s.
    const producer = new Producer((_, now) => (now % 10_000) / 10_000)
    producer.watch('a', { attributes: ['x'], every: 100, when: 'x > 0.5' })
    producer.pass(30_050)
    const samples = (producer.rows.get('a') ?? []).map((row) => row.type === 'sample' && [row.at - 1_000_000, row.holds])
    expect(samples).toEqual([5100, 10_000, 15_100, 20_000, 25_100, 30_000].map((at, index) => [at, index % 2 === 0]))
  })

  it('sends a sample for each change of more than a fifth from the last sent one', () => {
    let [walk, seed] = [100, 1]
    const producer = new Producer(() => {
      seed = (seed * 48_271) % 2_147_483_647
      return (walk += (seed / 2_147_483_647 - 0.5) * 20)
    })
    const all: number[] = []
    producer.watch('all', { attributes: ['x'], every: 100 })
    producer.watch('some', { attributes: ['x'], every: 100, change: 0.2 })
    producer.pass(60_000)
    all.push(...(producer.values('all') as number[]))
    const expected = [all[0] as number]
    for (const value of all)
      if (Math.abs(value - (expected.at(-1) as number)) > 0.2 * Math.abs(expected.at(-1) as number)) expected.push(value)
    expect(producer.values('some')).toEqual(expected)
    expect(expected.length).toBeGreaterThan(3)
  })

  it.each([60_000, 600_000, 3_600_000])('sends means over %i ms that equal those of all samples', (over) => {
    const producer = new Producer((_, now) => Math.sin(now / 1e5) * 100)
    producer.watch('all', { attributes: ['x'] })
    producer.watch('mean', { attributes: ['x'], over })
    producer.pass(2 * over)
    const all = producer.values('all') as number[]
    const means = producer.values('mean') as number[]
    const count = over / 1000
    for (const at of [0, 5, count, 2 * count - 1]) {
      const window = all.slice(Math.max(0, at + 1 - count), at + 1)
      expect(means[at]).toBeCloseTo(window.reduce((sum, each) => sum + each, 0) / window.length, 9)
    }
  })

  it('gives a slow consumer the latest value of each attribute, and counts the others exactly', () => {
    const producer = new Producer((name, now) => `${name}${now}`)
    producer.watch('a', { attributes: ['x', 'y'] })
    producer.pass(2500)
    producer.feed({ type: 'full', watch: 'a' })
    producer.pass(30_000)
    expect(producer.values('a')).toHaveLength(6)
    producer.feed({ type: 'ready', watch: 'a' })
    expect(producer.rows.get('a')?.slice(6)).toMatchObject([{ type: 'lost', count: 58 }, { value: 'x32000' }, { value: 'y32000' }])
    producer.pass(1000)
    expect(producer.values('a').slice(-2)).toEqual(['x33000', 'y33000'])
  })

  it('counts no problem among the samples that a slow consumer did not get', () => {
    const producer = new Producer((_, now) => (now === 5000 ? undefined : now))
    producer.watch('a', { attributes: ['x'] })
    producer.pass(2500)
    producer.feed({ type: 'full', watch: 'a' })
    producer.pass(5000)
    producer.feed({ type: 'ready', watch: 'a' })
    // The samples of 3, 4 and 6 s. The one of 7 s comes.
    expect(producer.rows.get('a')?.slice(3)).toMatchObject([{ type: 'lost', count: 3 }, { value: 7000 }])
    const seqs = (producer.rows.get('a') ?? []).flatMap((row) => (row.type === 'sample' ? [row.seq] : []))
    expect((seqs.at(-1) as number) - seqs.length).toBe(3)
  })

  it('replays what a consumer missed, in order and once, and states what is gone', () => {
    const producer = new Producer((_, now) => now)
    producer.watch('other', { attributes: ['x'] })
    producer.watch('a', { attributes: ['x'] })
    producer.pass(5500)
    producer.feed({ type: 'unwatch', watch: 'a' })
    const last = producer.rows.get('a')?.at(-1) as Extract<Row, { type: 'sample' }>
    producer.pass(60_000)
    producer.watch('b', { attributes: ['x'] }, { x: { series: last.series, seq: last.seq } })
    producer.pass(1000)
    const rows = producer.rows.get('b') as Extract<Row, { type: 'sample' }>[]
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: rows.length }, (_, at) => last.seq + 1 + at))
    expect(rows.filter(({ replayed }) => replayed)).toHaveLength(60)

    producer.pass(1_000_000)
    producer.watch('c', { attributes: ['x'] }, { x: { series: last.series, seq: last.seq } })
    const [gap, first] = producer.rows.get('c') as [Row, Row]
    expect(gap).toMatchObject({ type: 'gap', missing: expect.any(Number) })
    expect(first).toMatchObject({ type: 'sample', replayed: true })
    expect((gap as { missing: number }).missing).toBe((first as { seq: number }).seq - last.seq - 1)
    producer.watch('d', { attributes: ['x'] }, { x: { series: 7, seq: 1 } })
    expect(producer.rows.get('d')?.some((row) => row.type !== 'sample' || row.replayed)).toBe(false)
  })

  it('shows a consumer that may see summaries no window before it is whole', () => {
    const producer = new Producer((_, now) => now)
    producer.rows.set('a', [])
    const spec = { ...parseWatch({ attributes: ['x'], over: 600_000 }), isSummary: true }
    producer.feed({ type: 'watch', watch: 'a', spec, since: {} })
    producer.pass(599_000)
    expect(producer.rows.get('a')).toEqual([])
    producer.pass(2000)
    expect(producer.values('a')[0]).toBeCloseTo(300_000, -4)
  })

  it('sends the end of a condition that ceased while the stream was broken', () => {
    const producer = new Producer((_, now) => (now < 5000 ? 9 : 1))
    producer.watch('a', { attributes: ['x'], when: 'x > 5' })
    producer.pass(3000)
    producer.feed({ type: 'unwatch', watch: 'a' })
    producer.pass(10_000)
    producer.rows.set('b', [])
    producer.feed({ type: 'watch', watch: 'b', spec: parseWatch({ attributes: ['x'], when: 'x > 5' }), since: {}, held: true })
    producer.pass(1000)
    expect(producer.rows.get('b')).toMatchObject([{ type: 'sample', value: 1, holds: false }])
  })

  it('sends a problem once, and values again when there are some', () => {
    const producer = new Producer((_, now) => (now < 5000 ? undefined : now))
    producer.watch('a', { attributes: ['x'] })
    producer.pass(6000)
    expect(producer.rows.get('a')?.map(({ type }) => type)).toEqual(['problem', 'sample', 'sample'])
  })

  it.each<[Partial<WatchSpec>, string]>([
    [{ attributes: [] }, 'attributes'],
    [{ every: 50 }, 'every: must be at least 100'],
    [{ when: 'y > 1' }, 'y is not among'],
    [{ when: 'x >' }, 'column'],
    [{ reduce: 'mean' }, 'it needs over'],
    [{ over: 3_600_000, every: 100 }, 'at most 4096 samples'],
    [{ change: -1 }, 'change'],
  ])('refuses %o', (spec, why) => {
    expect(() => parseWatch({ attributes: ['x'], ...spec })).toThrow(why)
  })
})
