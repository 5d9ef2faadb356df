import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { parseIntroducer } from '@jel/overlay/internals'
import type { Attack } from '../trial.ts'
import { Sybil, told } from '../sybil.ts'

/** Made-up members, all at the victim's address. */
const members = 100

/** Bound on connections a second from each node: five times the observed rate. */
const most = 20

export const victimAddress: Attack = {
  name: "a victim's address",
  does: 'tells of 100 members that it makes up, all at the address of somebody who has nothing to do with the pool',
  bound: 'the pool connects to the victim a bounded number of times a second and node, whatever is said',
  run: async ({ pool, attacker, sleep, until, breach }) => {
    let connections = 0
    const victim = createServer((socket) => {
      connections += 1
      socket.on('error', () => {})
      socket.resume()
    })
    victim.listen(0, '127.0.0.1')
    await once(victim, 'listening')
    try {
      const { port } = victim.address() as AddressInfo
      const { address } = parseIntroducer(`/ip4/127.0.0.1/tcp/${port}`)
      const mallory = await attacker()
      const link = await mallory.enter(pool.address())
      const frame = told(Array.from({ length: members }, () => new Sybil(pool.name).joins(Array.from({ length: 8 }, () => address))))
      link.send(frame)
      const started = performance.now()
      while (performance.now() < until) await sleep(100)
      const seconds = (performance.now() - started) / 1_000
      if (connections / seconds / pool.addresses.length > most) breach('the victim was flooded')
      return `the victim saw ${(connections / seconds).toFixed(0)} connections a second, ${(connections / seconds / pool.addresses.length).toFixed(1)} from each node`
    } finally {
      victim.close()
    }
  },
}
