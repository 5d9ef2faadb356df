/**
 * The metrics of a pool. `observe` of `@jel/jel/opentelemetry` registers them with OpenTelemetry.
 * This module has the definitions for other exporters.
 *
 * @packageDocumentation
 */
export { Watch, type Counts, type Figures } from './figures.ts'
export { instruments, prometheusName, readings, type Histogram, type Instrument, type Reading, type ReadInstrument } from './instruments.ts'
