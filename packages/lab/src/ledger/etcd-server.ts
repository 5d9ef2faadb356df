/** A cluster of Debian's etcd servers, on loopback or with a host for each. */
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { exit } from '../base/child.ts'
import { startProgram } from '../base/server.ts'
import { within, type LabHost } from '../network/host.ts'

/** Ports of a server that has a host of its own: etcd's usual ones. */
const [CLIENT_PORT, PEER_PORT] = [2379, 2380]
/**
 * The next port on loopback. The run has a loopback of its own. Ports from 32,768 on go to
 * connections: a connection of one server could get the port of the next one.
 */
let nextPort = 20_000

export class EtcdServer {
  readonly address: string
  readonly port: number
  readonly #command: readonly string[]
  readonly #folder: string
  child: ChildProcess

  constructor(place: Place, folder: string, args: readonly string[]) {
    this.address = place.address
    this.port = place.port
    this.#folder = folder
    this.#command = [...(place.host ? within(place.host) : []), 'etcd', ...args]
    this.child = this.start()
  }

  /** Starts the server. After its end it starts with the data that it had stored. */
  start(): ChildProcess {
    const [program = '', ...args] = this.#command
    return (this.child = startProgram(program, args, this.#folder))
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await exit(this.child)
  }
}

interface Place {
  readonly host?: LabHost | undefined
  readonly address: string
  readonly port: number
  readonly peerPort: number
}

/** `folder`: for their data. Each of `hosts` gets a server; undefined stands for loopback. */
export function startServers(folder: string, hosts: readonly (LabHost | undefined)[]): EtcdServer[] {
  const places: Place[] = []
  for (const host of hosts)
    places.push(
      host === undefined
        ? { address: '127.0.0.1', port: nextPort++, peerPort: nextPort++ }
        : { host, address: host.address, port: CLIENT_PORT, peerPort: PEER_PORT },
    )
  const peer = ({ address, peerPort }: Place): string => `http://${address}:${peerPort}`
  const cluster = places.map((place, at) => `e${at}=${peer(place)}`).join(',')
  return places.map((place, at) => {
    const client = `http://${place.address}:${place.port}`
    const options = {
      name: `e${at}`,
      'data-dir': join(folder, `e${at}`),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer(place),
      'initial-advertise-peer-urls': peer(place),
      'initial-cluster': cluster,
      'log-outputs': '/dev/null',
    }
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
    return new EtcdServer(place, folder, [...args, '--logger=zap'])
  })
}
