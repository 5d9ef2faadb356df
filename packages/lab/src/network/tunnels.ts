/**
 * Hosts that are far from each other. Each host's interface is a tunnel (VXLAN) that ends at the
 * laboratory's forwarder. The tunnels start in a separate namespace between the hosts and the
 * laboratory, so that hosts do not see them.
 */
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Distances } from './distances.ts'
import type { ForwarderData, ForwarderOrder } from './network-emulator.ts'
import type { Medium } from './medium.ts'
import { hardware, on, type LabHost } from './host.ts'
import { run } from './tools.ts'
import { runId } from './namespaces.ts'

const HERE = '10.78.0.1'
const THERE = '10.78.0.2'
/** The port of a host is this number plus the host's number. */
const BASE = 20_000

export class Tunnels implements Medium {
  readonly ready: Promise<void>
  readonly #between = `jel${runId()}-between`
  readonly #forwarder: Worker

  constructor(distances: Distances, hosts: number, seed: number) {
    const inside = ['-n', this.#between]
    run('ip', ['netns', 'add', this.#between])
    run('ip', ['link', 'add', 'tunnels', 'type', 'veth', 'peer', 'name', 'hosts', 'netns', this.#between])
    run('ip', ['addr', 'add', `${HERE}/30`, 'dev', 'tunnels'])
    run('ip', [...inside, 'addr', 'add', `${THERE}/30`, 'dev', 'hosts'])
    // This leaves space for the bytes that a tunnel adds to a packet of 1,500 bytes.
    run('ip', ['link', 'set', 'tunnels', 'mtu', '1600', 'up'])
    run('ip', [...inside, 'link', 'set', 'hosts', 'mtu', '1600', 'up'])
    const data: ForwarderData = { distances, seed, hosts, base: BASE, here: HERE, there: THERE }
    this.#forwarder = new Worker(new URL('network-emulator.ts', import.meta.url), { workerData: data })
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ready = promise
    // The forwarder has no listener for `error`, so an error in it ends the run.
    this.#forwarder.once('message', () => {
      this.#forwarder.unref()
      resolve()
    })
  }

  attach(host: LabHost): void {
    const tunnel = ['type', 'vxlan', 'id', '1', 'local', THERE, 'remote', HERE, 'dstport', String(BASE + host.number), 'nolearning']
    run('ip', ['-n', this.#between, 'link', 'add', 'eth0', 'netns', host.name, 'address', hardware(host), 'mtu', '1500', ...tunnel])
    run('ip', ['-n', host.name, 'link', 'set', 'eth0', 'addrgenmode', 'none'])
    // The kernel leaves checksums to the network card, but here there is none.
    on(host, 'iptables', ['-t', 'mangle', '-A', 'POSTROUTING', '-j', 'CHECKSUM', '--checksum-fill'])
  }

  plug(host: LabHost, state: 'up' | 'down'): void {
    run('ip', ['-n', host.name, 'link', 'set', 'eth0', state])
  }

  narrow(host: LabHost, bits: number | undefined): void {
    this.#tell({ type: 'narrow', host: host.number, bits })
  }

  locate(host: LabHost, site: number): void {
    this.#tell({ type: 'locate', host: host.number, site })
  }

  lost(): number {
    const [, ...lines] = readFileSync('/proc/net/udp', 'utf8').trim().split('\n')
    return lines.reduce((sum, line) => sum + Number(line.trim().split(/\s+/u).at(-1)), 0)
  }

  #tell(order: ForwarderOrder): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#forwarder.postMessage(order)
  }
}
