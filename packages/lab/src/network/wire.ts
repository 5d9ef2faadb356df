/**
 * Hosts on one wire. Each host has a veth interface. A bridge in the laboratory's own namespace
 * joins the interfaces.
 */
import type { Medium } from './medium.ts'
import { hardware, on, type LabHost } from './host.ts'
import { run } from './tools.ts'

const BRIDGE = 'wire'

export class Wire implements Medium {
  readonly ready = Promise.resolve()

  constructor() {
    run('ip', ['link', 'add', BRIDGE, 'type', 'bridge'])
    run('ip', ['link', 'set', BRIDGE, 'up'])
  }

  attach(host: LabHost): void {
    run('ip', ['link', 'add', port(host), 'type', 'veth', 'peer', 'name', 'eth0', 'address', hardware(host), 'netns', host.name])
    run('ip', ['link', 'set', port(host), 'master', BRIDGE, 'up'])
  }

  plug(host: LabHost, state: 'up' | 'down'): void {
    run('ip', ['link', 'set', port(host), state])
  }

  narrow(host: LabHost, bits: number | undefined): void {
    const command = bits === undefined ? ['qdisc', 'del', 'dev'] : ['qdisc', 'replace', 'dev']
    // The queue holds half a second, as in home routers. The bucket holds ten packets, so that any
    // packet fits.
    const rate = bits === undefined ? [] : ['tbf', 'rate', `${bits}bit`, 'burst', '15kb', 'latency', '500ms']
    run('tc', [...command, port(host), 'root', ...rate])
    on(host, 'tc', [...command, 'eth0', 'root', ...rate])
  }

  locate(): void {
    // There is only one site.
  }

  lost(): number {
    return 0
  }
}

/** The bridge's end of a host's cable. */
function port(host: LabHost): string {
  return `h${host.number}`
}
