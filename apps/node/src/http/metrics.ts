import { instruments, prometheusName, readings, Watch, type ReadInstrument } from '@jel/jel/metrics'
import type { GridFigures } from '@jel/compute'
import { gridInstruments, taskTimes, type GridInstrument } from '@jel/compute/metrics'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, type Metric } from 'prom-client'
import type { Agent } from '../agent/agent.ts'
import { HANDLER_FAILED } from '../events/handler-errors.ts'
import { timeSamples } from './task-times.ts'

/**
 * These gauges have names of counters, and promtool complains. The node removes them. Other gauges
 * have the same counts by type, and stay.
 */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']

/** The metrics of a node in the text format of Prometheus. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #watch: Watch
  readonly #stopCounting: () => void
  /** The values of this node's site, and the number of members in each value. */
  readonly #site: Gauge
  readonly #siteMembers: Gauge
  readonly #agent: Agent
  readonly #jobs: readonly { readonly instrument: GridInstrument; readonly metric: Gauge | Counter }[]
  #figures: GridFigures | undefined
  readonly #read: readonly { readonly instrument: ReadInstrument; readonly metric: Gauge | Counter }[]
  /** Whether the metrics of the process are collected. The first request begins the collection. */
  #watchesProcess = false
  #turn: Promise<unknown> = Promise.resolve()

  constructor(agent: Agent) {
    this.#agent = agent
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
    this.#jobs = gridInstruments.map((instrument) => {
      const options = { name: prometheusName(instrument), help: instrument.help, registers }
      return { instrument, metric: instrument.kind === 'counter' ? new Counter(options) : new Gauge(options) }
    })
    const name = prometheusName(taskTimes)
    // The grid counts the times itself. The class of the library would take one call for each task.
    const histogram = { name, get: () => ({ name, help: taskTimes.help, type: 'histogram', values: timeSamples(name, this.#figures) }) }
    this.#registry.registerMetric(histogram as unknown as Metric)
    const build = new Gauge({
      name: 'jel_build_info',
      help: 'Always 1; the label says which version this is.',
      labelNames: ['version'],
      registers,
    })
    build.set({ version: agent.version }, 1)
    const labelNames = ['site', 'attribute', 'reduce', 'every']
    this.#site = new Gauge({
      name: 'jel_site_value',
      help: 'An attribute of all members of the site of this node, as it aggregates them for a watch by site.',
      labelNames,
      registers,
    })
    this.#siteMembers = new Gauge({ name: 'jel_site_members', help: 'Members whose values are in jel_site_value.', labelNames, registers })
    const failures = new Counter({
      name: 'jel_handler_failures_total',
      help: 'Runs of handlers that failed or took too long.',
      registers,
    })
    this.#stopCounting = agent.listen((event) => event.event === 'error' && event.code === HANDLER_FAILED && failures.inc())
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
    this.#stopCounting()
    this.#watch[Symbol.dispose]()
  }

  /** A watch that has ended has no numbers. */
  #readSite(): void {
    const { siteAggregates } = this.#agent
    for (const gauge of [this.#site, this.#siteMembers]) gauge.reset()
    for (const { site, name, reduce, every, value, count } of siteAggregates) {
      const labels = { site, attribute: name, reduce, every: `${every / 1000}s` }
      this.#site.set(labels, value)
      this.#siteMembers.set(labels, count)
    }
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
    this.#figures = await this.#agent.grid?.figures()
    for (const { instrument, metric } of this.#jobs) {
      metric.reset()
      if (this.#figures !== undefined) metric.inc(instrument.read(this.#figures))
    }
    this.#readSite()
    return await this.#registry.metrics()
  }
}
