/**
 * How long messages take over lossy lines: the kernel's TCP in network namespaces, and the simulator's model of it.
 *
 *     pnpm lab tcp-times --doc docs/simulator.md --json tcp.json
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, release } from 'node:os'
import { createInterface } from 'node:readline'
import { createRandom } from '@jel/protocol'
import { segment, TcpFlow } from '@jel/simulator'
import { machine } from '../base/machine.ts'
import { keep, takeChildrenAlong } from '../base/child.ts'
import { markdownTable, replaceSection } from '../base/markdown.ts'
import { command, whole } from '../base/program.ts'
import type { LabHost } from '../network/host.ts'
import { rerunInOwnNamespaces } from '../network/namespaces.ts'
import { LabNetwork } from '../network/network.ts'
import { provide, run } from '../network/tools.ts'

const USAGE = `pnpm lab tcp-times [options]

  --runs 41      transfers of each kind
  --doc FILE     replace the table between <!-- tcp-times --> and <!-- /tcp-times --> in this file
  --json FILE    write all figures

Exit status 1 where a median of the model is more than 20 % off the kernel's. Needs Linux, and root or user namespaces.
`

const delays = [10, 100]
const losses = [0, 0.001, 0.01, 0.05]
const lengths = [10_000, 1_000_000]
/** The model costs nothing. */
const modelled = 2_001
const tolerance = 0.2

interface Row {
  readonly delay: number
  readonly loss: number
  readonly bytes: number
  /** Medians, ms. */
  readonly kernel: number
  readonly model: number
}

/** Two hosts of each delay; all that passes between two sites is not used. */
function lay(): LabNetwork {
  const sites = delays.map((delay) => ({ name: `${delay} ms`, gateway: { up: undefined, down: undefined }, dialable: true as const }))
  const spans = delays.map((from) => delays.map((to) => ({ min: Math.max(from, to), max: Math.max(from, to) })))
  return new LabNetwork(2 * delays.length, { sites, spans }, { sites: delays.flatMap((_, site) => [site, site]) })
}

function ends(host: LabHost, network: LabNetwork, args: readonly string[]): ReturnType<typeof keep> {
  const [nsenter = '', ...within] = network.within(host)
  const child = spawn(nsenter, [...within, process.execPath, new URL('ends.ts', import.meta.url).pathname, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return keep(child)
}

async function kernel(network: LabNetwork, pair: readonly LabHost[], loss: number, bytes: number, runs: number): Promise<number> {
  const [from, to] = pair as [LabHost, LabHost]
  const mend = loss === 0 ? [] : [network.lose([from], [to], loss), network.lose([to], [from], loss)]
  const receiver = ends(to, network, [])
  const times: number[] = []
  const lines = createInterface({ input: receiver.stdout as NodeJS.ReadableStream })
  const ready = once(lines, 'line')
  lines.on('line', (line) => {
    if (line !== 'ready') times.push(Number(line))
  })
  await ready
  // More at once would wait for each other at the forwarder.
  const sender = ends(from, network, [to.address, String(bytes), String(runs), bytes > 100_000 && loss > 0 ? '8' : '1'])
  await once(sender, 'exit')
  receiver.kill()
  await once(receiver, 'exit')
  for (const each of mend) each()
  return median(times)
}

function model(delay: number, loss: number, bytes: number): number {
  const random = createRandom(1)
  const segments = Math.ceil(bytes / segment)
  return median(Array.from({ length: modelled }, () => new TcpFlow().send(segments, 0, { delay, loss, random })))
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function tableOf(rows: readonly Row[], runs: string): string {
  const cells = rows.map(({ delay, loss, bytes, kernel: real, model: ours }) => [
    `${bytes / 1_000} KB`,
    `${delay} ms`,
    `${loss * 100} %`,
    real.toFixed(0),
    ours.toFixed(0),
    `${((ours / real - 1) * 100).toFixed(0)} %`,
  ])
  const where = `Linux ${release().split('.').slice(0, 2).join('.')}, ${availableParallelism()} processors; ${runs} transfers of each kind.`
  return `${where}\n\n${markdownTable(['message', 'one way', 'lost', 'kernel, ms', 'simulator, ms', 'difference'], cells)}`
}

const options = { runs: { type: 'string', default: '41' }, json: { type: 'string' }, doc: { type: 'string' } } as const

export const experiment = command(USAGE, options, async ({ runs, json, doc }) => {
  provide('network')
  const status = await rerunInOwnNamespaces()
  if (status !== undefined) return status
  takeChildrenAlong()
  const network = lay()
  await network.ready
  // What the kernel learnt of one transfer would be used in the next one.
  for (const host of network.hosts) {
    const [nsenter = '', ...within] = network.within(host)
    run(nsenter, [...within, 'sysctl', '-qw', 'net.ipv4.tcp_no_metrics_save=1'])
    // What Linux takes where nothing else is set. A namespace may not set it as its default.
    const [route = ''] = run('ip', ['-n', host.name, 'route', 'show', 'dev', 'eth0']).split('\n')
    run('ip', ['-n', host.name, 'route', 'change', ...route.trim().split(/\s+/u), 'dev', 'eth0', 'congctl', 'cubic'])
  }
  const rows: Row[] = []
  for (const [site, delay] of delays.entries())
    for (const loss of losses)
      for (const bytes of lengths) {
        const pair = network.hosts.slice(2 * site, 2 * site + 2)
        const row = {
          delay,
          loss,
          bytes,
          kernel: await kernel(network, pair, loss, bytes, whole('runs', runs)),
          model: model(delay, loss, bytes),
        }
        rows.push(row)
        const off = row.model / row.kernel - 1
        console.log(
          `${bytes / 1_000} KB, ${delay} ms, ${loss * 100} % lost: kernel ${row.kernel.toFixed(1)} ms, model ${row.model.toFixed(1)} ms (${(off * 100).toFixed(0)} %)`,
        )
      }
  if (doc !== undefined) writeFileSync(doc, replaceSection(readFileSync(doc, 'utf8'), 'tcp-times', tableOf(rows, runs)))
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ machine: machine(), runs: Number(runs), rows }, undefined, 2)}\n`)
  return rows.every(({ kernel: real, model: ours }) => Math.abs(ours / real - 1) <= tolerance) ? 0 : 1
})
