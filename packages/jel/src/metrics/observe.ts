import { metrics, type Meter } from '@opentelemetry/api'
import { PoolLeftError } from '../errors.ts'
import type { Pool } from '../pool/pool.ts'
import { Watch, type Figures } from './figures.ts'
import { instruments, readings } from './instruments.ts'

/**
 * Registers all instruments of a pool with OpenTelemetry through its API. If the application has an
 * SDK, the SDK reads the instruments when it collects, and exports them. Without an SDK this does
 * nothing. Call `observe` once per pool, after the set-up of the SDK. The instruments do not count
 * earlier events.
 *
 * @param meter default: the meter of the global provider for the name of this package
 * @returns the function that ends the registration; the end of the pool ends it as well
 */
export function observe(pool: Pool, meter: Meter = metrics.getMeter('@jel/jel')): () => void {
  const watch = new Watch(pool)
  const observables = instruments.flatMap((instrument) => {
    const { name, unit, help: description } = instrument
    if (instrument.kind !== 'histogram') {
      const create = instrument.kind === 'counter' ? 'createObservableCounter' : 'createObservableGauge'
      return [{ instrument, observable: meter[create](name, { unit, description }) }]
    }
    const histogram = meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: [...instrument.buckets] } })
    watch.onMeasured(({ what, took }) => {
      if (what === instrument.measures) histogram.record(took / 1000)
    })
    return []
  })
  const collect: Parameters<Meter['addBatchObservableCallback']>[0] = async (result) => {
    const figures = await readOpen(watch)
    if (figures === undefined) return
    for (const { instrument, observable } of observables) {
      for (const { labels, value } of readings(instrument, figures)) result.observe(observable, value, labels)
    }
  }
  const all = observables.map(({ observable }) => observable)
  meter.addBatchObservableCallback(collect, all)
  const end = (): void => {
    meter.removeBatchObservableCallback(collect, all)
    watch[Symbol.dispose]()
  }
  // The meter may live as long as the program. Until `end` it keeps the pool in memory.
  void pool.closed.then(end)
  return end
}

/** Returns undefined after the end of the pool. */
async function readOpen(watch: Watch): Promise<Figures | undefined> {
  try {
    return await watch.read()
  } catch (error) {
    if (error instanceof PoolLeftError) return undefined
    throw error
  }
}
