import { hashSpace, type wire } from '@jel/protocol/internals'
import type { Attack } from '../trial.ts'
import { Sybil, told } from '../sybil.ts'

/** Longest wait for the facts of the pool, ms. */
const timeout = 10_000

export const replayedStatements: Attack = {
  name: 'replayed statements',
  does: 'says again what others signed: every fact of the pool as news, the join of one who left, and words signed for another pool',
  bound: 'no life comes back; words from another pool are forgeries',
  isDropped: true,
  run: async ({ pool, attacker, attack, sleep, scale }) => {
    const mallory = await attacker()
    const [link] = [await mallory.enter(pool.address())]
    const heard: wire.Fact[] = []
    link.onFrame = ({ facts }) => heard.push(...(facts?.facts ?? []))
    // The other side would ignore a first round where it has begun one itself.
    link.send({
      reconcile: { round: 2, ranges: [{ from: 0, to: hashSpace, count: 0, fingerprint: none, items: none, wanted: none, listed: true }] },
    })
    for (let waited = 0; heard.length < scale.nodes; waited += 100) {
      if (waited > timeout) throw new Error(`the pool told ${heard.length} facts`)
      await sleep(100)
    }
    // A member joins and leaves, and its join is sent again.
    const gone = new Sybil(pool.name)
    const joined = gone.joins()
    link.send(told([joined]))
    await sleep(200)
    link.send(told([gone.says({ kind: 'left', incarnation: 1 })]))
    await sleep(200)
    const foreign = new Sybil(`${pool.name}-other`).joins()
    let frames = 0
    await attack([link], (turn) => {
      if (turn < 100) link.send(told([joined]))
      else if (turn < 200) link.send({ facts: { facts: heard.slice(0, 256), fresh: true } })
      else link.send(told([foreign]))
      frames += 1
    })
    return `${heard.length} facts heard, ${frames} frames of them sent again`
  },
}

const none = new Uint8Array(0)
