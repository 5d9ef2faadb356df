/**
 * What a pool is measured by. `observe` of `@jel/jel/opentelemetry` registers it there; these are the definitions, for whoever exports them otherwise.
 *
 * @packageDocumentation
 */
export { Watch, type Counts, type Figures } from './figures.ts'
export { instruments, prometheusName, readings, type Histogram, type Instrument, type Reading, type ReadInstrument } from './instruments.ts'
