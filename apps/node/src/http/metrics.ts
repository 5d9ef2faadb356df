import { instruments, prometheusName, readings, Watch, type ReadInstrument } from '@jel/jel/metrics'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Agent } from '../agent/agent.ts'

/**
 * These gauges have names of counters, and promtool complains. The gauges that count each type
 * stay.
 */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']

/** The metrics of a node in the text format of Prometheus. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #watch: Watch
  readonly #read: readonly { readonly instrument: ReadInstrument; readonly metric: Gauge | Counter }[]
  /** Whether the metrics of the process are collected. The first request begins the collection. */
  #watchesProcess = false
  #turn: Promise<unknown> = Promise.resolve()

  constructor(agent: Agent) {
    this.#watch = new Watch(agent.pool)
    const registers = [this.#registry]
    this.#read = instruments.flatMap((instrument) => {
      const common = { name: prometheusName(instrument), help: instrument.help, registers }
      if (instrument.kind !== 'histogram') {
        const options = { ...common, labelNames: [...(instrument.labels ?? [])] }
        return [{ instrument, metric: instrument.kind === 'counter' ? new Counter(options) : new Gauge(options) }]
      }
      const histogram = new Histogram({ ...common, buckets: [...instrument.buckets] })
      this.#watch.onMeasured(({ what, took }) => what === instrument.measures && histogram.observe(took / 1000))
      return []
    })
    const build = new Gauge({
      name: 'jel_build_info',
      help: 'Always 1; the label says which version this is.',
      labelNames: ['version'],
      registers,
    })
    build.set({ version: agent.version }, 1)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Returns the current values of all metrics. Throws PoolLeftError after the end of the pool. */
  async text(): Promise<string> {
    // Requests are sequential: a request must not clear the values that another request has set.
    const text = this.#turn.then(async () => await this.#collect())
    this.#turn = text.catch(() => {})
    return await text
  }

  close(): void {
    this.#watch[Symbol.dispose]()
  }

  #watchProcess(): void {
    this.#watchesProcess = true
    collectDefaultMetrics({ register: this.#registry })
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name)
  }

  async #collect(): Promise<string> {
    if (!this.#watchesProcess) this.#watchProcess()
    const figures = await this.#watch.read()
    for (const { instrument, metric } of this.#read) {
      metric.reset()
      for (const { labels, value } of readings(instrument, figures)) metric.inc(labels, value)
    }
    return await this.#registry.metrics()
  }
}
