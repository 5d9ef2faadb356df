/** Prometheus for comparison: when does it show that a producer is gone? */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end, keep } from '../base/child.ts'
import { median } from '../base/quantiles.ts'
import { startRemote } from '../base/remote.ts'
import { freePort } from '../base/server.ts'
import type { Row } from '../base/targets.ts'
import { until } from '../base/wait.ts'
import type { Commands } from './application.ts'
import { APPLICATION } from './member.ts'
import { remoteWrite } from './remote-write.ts'

/** Number of producers: the server spreads their scrapes over its interval. */
const TARGETS = 20
/** The interval of Prometheus' own example, s. Its default is a minute. */
const INTERVAL = 15
/** A pushed sample has this age when it comes, ms. Prometheus shows samples for five minutes. */
const AGE = 285_000
const LONGEST = 60_000

/** Returns the instances for which an expression has a value, with their values. */
async function query(port: number, expression: string): Promise<Map<string, string>> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`)
  const { data } = (await response.json()) as {
    data?: { result: readonly { metric: { instance?: string }; value: readonly [number, string] }[] }
  }
  return new Map((data?.result ?? []).map(({ metric, value }) => [metric.instance ?? '', value[1]]))
}

/** @param folder for the configuration and the samples of the server */
export async function prometheus(folder: string): Promise<Row[]> {
  const producer = startRemote<Commands>(APPLICATION)
  const ports = await producer.remote.expose(TARGETS)
  const config = join(folder, 'prometheus.json')
  const targets = ports.map((each) => `127.0.0.1:${each}`)
  const scrapes = [{ job_name: 'producers', static_configs: [{ targets }] }]
  // JSON is YAML.
  writeFileSync(config, JSON.stringify({ global: { scrape_interval: `${INTERVAL}s` }, scrape_configs: scrapes }))
  const port = await freePort()
  const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`, `--web.listen-address=127.0.0.1:${port}`]
  const server = keep(spawn('prometheus', [...flags, '--web.enable-remote-write-receiver'], { stdio: 'ignore' }))
  try {
    const isUp = async (): Promise<boolean> => {
      const up = await query(port, 'up').catch(() => new Map<string, string>())
      return [...up.values()].filter((value) => value === '1').length === TARGETS
    }
    if (!(await until(isUp, LONGEST, 200))) throw new Error('prometheus did not scrape all producers')
    const measuredAt = Date.now() - AGE
    await remoteWrite(`http://127.0.0.1:${port}/api/v1/write`, { name: 'pushed', value: 1, at: measuredAt })
    if ((await query(port, 'pushed')).size !== 1) throw new Error('prometheus did not take the pushed sample')
    const killed = performance.now()
    producer.child.kill('SIGKILL')
    const gone = new Map<string, number>()
    await until(
      async () => {
        for (const instance of (await query(port, 'up == 0')).keys())
          if (!gone.has(instance)) gone.set(instance, performance.now() - killed)
        return gone.size === TARGETS
      },
      LONGEST,
      50,
    )
    const times = targets.map((each) => gone.get(each) ?? Infinity)
    const isStale = await until(async () => (await query(port, 'pushed')).size === 0, LONGEST, 50)
    const rows = {
      [`Prometheus: SIGKILL of a producer until up is 0, scraped each ${INTERVAL} s, median of ${TARGETS}`]: median(times),
      'the same, worst': Math.max(...times),
      'Prometheus: the last pushed value shows after its time for': isStale ? Date.now() - measuredAt : Infinity,
    }
    return Object.entries(rows).map(([what, value]) => ({ what, value, unit: 'ms', most: Infinity }))
  } finally {
    producer.child.kill('SIGKILL')
    await end(server, 2000)
  }
}
