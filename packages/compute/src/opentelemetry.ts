import { metrics, type Meter } from '@opentelemetry/api'
import type { Grid } from './grid.ts'
import { gridInstruments, taskTimes } from './metrics.ts'

/**
 * Registers all instruments of a grid with OpenTelemetry through its API, as `observe` of
 * `@jel/jel/opentelemetry` does for a pool. Without an SDK this does nothing. Call it once per
 * grid, after the set-up of the SDK. Counters begin with the grid. The times of tasks begin with
 * the call.
 *
 * @param meter default: the meter of the global provider for the name of this package
 * @returns the function that ends the registration. After the end of the grid, the next collection
 * ends it as well
 */
export function observeGrid(grid: Grid, meter: Meter = metrics.getMeter('@jel/compute')): () => void {
  const observables = gridInstruments.map(({ name, kind, unit, help: description, read }) => {
    const create = kind === 'counter' ? 'createObservableCounter' : 'createObservableGauge'
    return { read, observable: meter[create](name, { unit, description }) }
  })
  const { name, unit, help: description, buckets } = taskTimes
  const times = meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: [...buckets] } })
  const onMeasured = ({ detail: { took } }: CustomEvent<{ readonly took: number }>): void => times.record(took / 1000)
  grid.addEventListener('measured', onMeasured)
  const all = observables.map(({ observable }) => observable)
  const collect: Parameters<Meter['addBatchObservableCallback']>[0] = async (result) => {
    // The meter may live as long as the program. Until `end` it keeps the grid in memory.
    if (grid.source.closed) {
      end()
      return
    }
    const figures = await grid.figures()
    for (const { observable, read } of observables) result.observe(observable, read(figures))
  }
  const end = (): void => {
    meter.removeBatchObservableCallback(collect, all)
    grid.removeEventListener('measured', onMeasured)
  }
  meter.addBatchObservableCallback(collect, all)
  return end
}
