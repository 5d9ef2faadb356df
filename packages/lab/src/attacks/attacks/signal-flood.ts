import type { Attack } from '../trial.ts'

export const signalFlood: Attack = {
  name: 'signals without end',
  does: 'signals every member as fast as it can',
  bound: 'no more than 200 frames a second are read; nothing is reflected to anybody but itself',
  run: async ({ pool, attacker, attack }) => {
    const mallory = await attacker()
    const links = await Promise.all(pool.addresses.map(async (address) => await mallory.enter(address)))
    let [sent, answered] = [0, 0]
    for (const link of links)
      link.onFrame = ({ signalAck }) => {
        if (signalAck !== undefined) answered += 1
      }
    await attack(links, () => {
      for (const link of links) if (link.send({ signal: { reference: sent, name: 'boo' } })) sent += 1
    })
    return `${sent} signals, ${answered} receipts`
  },
}
