/**
 * Measures the times of messages over lossy lines, with the kernel's TCP in network namespaces and
 * with the simulator's model of TCP.
 */
import { once } from 'node:events'
import { release } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createRandom } from '@jel/protocol'
import { segment, TcpFlow } from '@jel/simulator'
import { median } from '../base/quantiles.ts'
import { whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { on, startOn, type LabHost } from '../network/host.ts'
import { LabNetwork } from '../network/network.ts'
import { run } from '../network/tools.ts'
import { shown, type Row } from './report.ts'

const ENDS = fileURLToPath(new URL('ends.ts', import.meta.url))
const delays = [10, 100]
const losses = [0, 0.001, 0.01, 0.05]
const lengths = [10_000, 1_000_000]
/** Number of transfers in the model, which cost nothing. */
const draws = 2_001
const tolerance = 0.2
/**
 * Above this time, ms, several transfers run at the same time. Their windows are small. Transfers
 * with large windows would wait for each other at the forwarder.
 */
const long = 1_000
const sideBySide = 8
/** Factor for the number of transfers of a large message that takes less time than `long`. */
const more = 4

/**
 * Makes a network with two hosts for each delay. The measurement does not use the delays between
 * sites.
 */
function lay(): LabNetwork {
  const sites = delays.map((delay) => ({ name: `${delay} ms`, gateway: { up: undefined, down: undefined }, dialable: true as const }))
  const spans = delays.map((from) => delays.map((to) => ({ min: Math.max(from, to), max: Math.max(from, to) })))
  return new LabNetwork(2 * delays.length, { sites, spans }, { sites: delays.flatMap((_, site) => [site, site]) })
}

interface Transfers {
  readonly loss: number
  readonly bytes: number
  readonly runs: number
  readonly atOnce: number
}

async function kernel(network: LabNetwork, pair: readonly LabHost[], { loss, bytes, runs, atOnce }: Transfers): Promise<number> {
  const [from, to] = pair as [LabHost, LabHost]
  network.shape((one, other) => (one !== other && pair.includes(one) && pair.includes(other) ? { loss, isRefused: false } : undefined))
  const receiver = startOn(to, [ENDS])
  const times: number[] = []
  const lines = createInterface(receiver.stdout)
  const ready = once(lines, 'line')
  lines.on('line', (line) => {
    if (line !== 'ready') times.push(Number(line))
  })
  await ready
  const sender = startOn(from, [ENDS, to.address, ...[bytes, runs, atOnce].map(String)])
  await once(sender, 'exit')
  receiver.kill()
  await once(receiver, 'exit')
  network.heal()
  return median(times)
}

function model(delay: number, loss: number, bytes: number): number {
  const random = createRandom(1)
  const segments = Math.ceil(bytes / segment)
  return median(Array.from({ length: draws }, () => new TcpFlow().send(segments, 0, { delay, loss, random })))
}

export const experiment = bench({
  about: "the simulator's transfer times beside those of this kernel",
  settings: { runs: whole(41, 'transfers of each kind; four times as many for 1,000 KB if one takes less than a second') },
  notes: "Exit status 1 if a median of the model differs by more than 20 % from the kernel's. Needs Linux, and root or user namespaces.",
  where: 'hosts',
  figures: shown,
  async measure({ runs }) {
    const network = lay()
    await network.ready
    // With this setting the kernel does not apply metrics of one transfer to the next.
    for (const host of network.hosts) {
      on(host, 'sysctl', ['-qw', 'net.ipv4.tcp_no_metrics_save=1'])
      // `cubic` is Linux's default. A namespace may not set its own default, so this sets it for
      // the route.
      const [route = ''] = run('ip', ['-n', host.name, 'route', 'show', 'dev', 'eth0']).split('\n')
      run('ip', ['-n', host.name, 'route', 'change', ...route.trim().split(/\s+/u), 'dev', 'eth0', 'congctl', 'cubic'])
    }
    const rows: Row[] = []
    for (const [site, delay] of delays.entries()) {
      const pair = network.hosts.slice(2 * site, 2 * site + 2)
      const [least = 0] = lengths
      // The time from host to host, because the forwarder adds to the configured delay.
      const way = await kernel(network, pair, { loss: 0, bytes: least, runs, atOnce: 1 })
      for (const loss of losses)
        for (const bytes of lengths) {
          const modelled = model(way, loss, bytes)
          const isLong = modelled > long
          const transfers = { loss, bytes, runs: isLong || bytes === least ? runs : more * runs, atOnce: isLong ? sideBySide : 1 }
          const row = { delay, way, loss, bytes, kernel: await kernel(network, pair, transfers), model: modelled }
          rows.push(row)
          const off = row.model / row.kernel - 1
          console.log(
            `${bytes / 1_000} KB, ${delay} ms, ${loss * 100} % lost: kernel ${row.kernel.toFixed(1)} ms, model ${row.model.toFixed(1)} ms (${(off * 100).toFixed(0)} %)`,
          )
        }
    }
    return { release: release().split('.').slice(0, 2).join('.'), runs, rows }
  },
  passed: ({ rows }) => rows.every(({ kernel: real, model: ours }) => Math.abs(ours / real - 1) <= tolerance),
})
