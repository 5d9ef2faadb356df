/** Links of limited bandwidth between each two hosts of the laboratory, in both directions. */
import { on, type LabHost } from '../network/host.ts'

/** A link keeps the packets of this time, s. A guess: less than home routers. */
const QUEUE = 0.2
const PACKET = 1500

export class Links {
  readonly #hosts: readonly LabHost[]

  constructor(hosts: readonly LabHost[]) {
    this.#hosts = hosts
    for (const host of hosts) {
      const others = hosts.filter((other) => other !== host)
      this.#tc(host, [
        'qdisc replace dev eth0 root handle 1: htb default 999',
        'class add dev eth0 parent 1: classid 1:999 htb rate 1gbit',
        ...others.flatMap(({ number, address }) => [
          `class add dev eth0 parent 1: classid 1:${number} htb rate 1gbit`,
          `filter add dev eth0 parent 1: protocol ip u32 match ip dst ${address}/32 flowid 1:${number}`,
        ]),
      ])
    }
  }

  /** Sets the bandwidth of each link, in bits a second. It is the same in both directions. */
  set(bitsOf: (one: number, other: number) => number): void {
    for (const host of this.#hosts) {
      const others = this.#hosts.filter((other) => other !== host)
      this.#tc(
        host,
        others.flatMap(({ number }) => {
          const bits = Math.round(bitsOf(Math.min(host.number, number), Math.max(host.number, number)))
          const packets = Math.max(10, Math.round((bits * QUEUE) / 8 / PACKET))
          return [
            `class change dev eth0 parent 1: classid 1:${number} htb rate ${bits}bit burst 15kb cburst 15kb`,
            `qdisc replace dev eth0 parent 1:${number} handle ${number + 1}: pfifo limit ${packets}`,
          ]
        }),
      )
    }
  }

  #tc(host: LabHost, lines: readonly string[]): void {
    on(host, 'tc', ['-batch', '-'], `${lines.join('\n')}\n`)
  }
}
