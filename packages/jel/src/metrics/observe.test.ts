import type { Attributes, Meter, Observable } from '@opentelemetry/api'
import { afterEach, expect, it } from 'vitest'
import { FakeOverlay, member } from '../../test/fake-overlay.ts'
import { Pool } from '../pool/pool.ts'
import { instruments, prometheusName } from './instruments.ts'
import { observe } from './observe.ts'

type Callback = Parameters<Meter['addBatchObservableCallback']>[0]

/** The part of an OpenTelemetry SDK that reads instruments. */
class FakeMeter {
  readonly read = new Map<string, { value: number; attributes: Attributes | undefined }[]>()
  readonly recorded = new Map<string, number[]>()
  readonly callbacks = new Set<Callback>()
  readonly #names = new Map<Observable, string>()

  readonly createObservableGauge = (name: string): Observable => this.#create(name)
  readonly createObservableCounter = (name: string): Observable => this.#create(name)
  readonly addBatchObservableCallback = (callback: Callback): void => void this.callbacks.add(callback)
  readonly removeBatchObservableCallback = (callback: Callback): void => void this.callbacks.delete(callback)
  createHistogram(name: string): { record: (value: number) => void } {
    const values: number[] = []
    this.recorded.set(name, values)
    return { record: (value) => void values.push(value) }
  }

  async collect(): Promise<void> {
    this.read.clear()
    for (const callback of this.callbacks) {
      await callback({
        observe: (observable: Observable, value: number, attributes?: Attributes) => {
          const name = this.#names.get(observable)!
          this.read.set(name, [...(this.read.get(name) ?? []), { value, attributes }])
        },
      })
    }
  }

  value(name: string): number | undefined {
    return this.read.get(name)?.[0]?.value
  }

  #create(name: string): Observable {
    const observable = { addCallback() {}, removeCallback() {} }
    this.#names.set(observable, name)
    return observable
  }
}

const parts = { joins: 'unreliable', elections: 'non-uniform' } as const
const stops: (() => void)[] = []
afterEach(() => stops.splice(0).forEach((stop) => stop()))

function setUp(): { overlay: FakeOverlay; meter: FakeMeter; pool: Pool } {
  const overlay = new FakeOverlay(member('A'), member('C'))
  const pool = new Pool(overlay, parts)
  const meter = new FakeMeter()
  stops.push(observe(pool, meter as unknown as Meter))
  return { overlay, meter, pool }
}

it('a pool is measured as it stands, and its events are counted', async () => {
  const { overlay, meter } = setUp()
  overlay.tell({ type: 'joined', member: member('D') })
  overlay.tell({ type: 'died', member: member('A') })
  overlay.tell({ type: 'elected', reign: { election: 'master', epoch: 1, winner: member('B') } })
  overlay.tell({ type: 'elected', reign: { election: 'master', epoch: 1, winner: member('B') } })
  overlay.tell({ type: 'warning', code: 'PEER_MISBEHAVED', message: 'x' })
  overlay.tell({ type: 'measured', what: 'detection', member: 'A', took: 1_500 })
  overlay.tell({ type: 'measured', what: 'reconciliation', took: 20 })
  await meter.collect()
  expect(meter.value('jel.members')).toBe(3)
  expect(meter.value('jel.joins')).toBe(4)
  expect(meter.value('jel.member.deaths')).toBe(1)
  expect(meter.value('jel.elections.won')).toBe(1)
  expect(meter.value('jel.traffic.sent')).toBe(1_000)
  expect(meter.value('jel.round_trip.longest')).toBe(0.003)
  expect(meter.read.get('jel.warnings')).toEqual([{ value: 1, attributes: { code: 'PEER_MISBEHAVED' } }])
  expect(meter.read.get('jel.node.info')).toEqual([{ value: 1, attributes: { pool: 'test', id: 'B', incarnation: '1', location: 'here' } }])
  expect(meter.recorded.get('jel.detection')).toEqual([1.5])
  expect(meter.recorded.get('jel.reconciliation')).toEqual([0.02])
})

it('a pool that has ended is measured no more', async () => {
  const { meter, pool } = setUp()
  await pool.leave()
  await pool.closed
  expect(meter.callbacks.size).toBe(0)
  await meter.collect()
  expect(meter.read.size).toBe(0)
  stops.splice(0).forEach((stop) => stop())
  expect(meter.callbacks.size).toBe(0)
})

it('an instrument has its unit in its name for Prometheus alone', () => {
  const names = instruments.map(prometheusName)
  expect(new Set(names).size).toBe(names.length)
  for (const [i, { name, unit, kind }] of instruments.entries()) {
    expect(name).toMatch(/^jel(?:\.[a-z_]+)+$/u)
    expect(name).not.toMatch(/second|byte|ratio|total/u)
    expect(unit).toMatch(/^(?:s|By|1|\{[a-z]+\})$/u)
    expect(names[i]).toMatch(/^jel(?:_[a-z]+)+$/u)
    expect(names[i]!.endsWith('_total')).toBe(kind === 'counter')
  }
  expect(prometheusName({ name: 'jel.detection', unit: 's', kind: 'histogram' })).toBe('jel_detection_seconds')
  expect(prometheusName({ name: 'jel.traffic.sent', unit: 'By', kind: 'counter' })).toBe('jel_traffic_sent_bytes_total')
  expect(prometheusName({ name: 'jel.suspected', unit: '1', kind: 'gauge' })).toBe('jel_suspected_ratio')
  expect(prometheusName({ name: 'jel.members', unit: '{member}', kind: 'gauge' })).toBe('jel_members')
})
