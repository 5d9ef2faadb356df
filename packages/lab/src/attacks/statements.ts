/** Attacks by statements that are forged, replayed or absurd, or under keys that others hold. */
import type { wire } from '@jel/protocol/internals'
import { until } from '../base/wait.ts'
import { askForAll, death } from './frames.ts'
import { Sybil, told } from './sybil.ts'
import type { Attack } from './trial.ts'

/** Longest wait for the facts of the pool, ms. */
const FACTS_WITHIN = 10_000

const forged: Attack = {
  name: 'forged statements',
  does: 'says in the name of others that they left, died and claim a reign, under signatures that are not theirs',
  bound: 'nothing is believed; the third frame ends the link',
  isDropped: true,
  run: async ({ pool, everywhere, attack }) => {
    const { mallory, links } = await everywhere()
    const victim = pool.id(1)
    const others = Array.from({ length: 4 }, () => new Sybil(pool.name))
    const frames = [
      told([mallory.sybil.says({ kind: 'left', incarnation: 1 }, victim)]),
      told([mallory.sybil.says({ kind: 'claim', election: 'master', epoch: 2, incarnation: 1, sequence: 1 }, victim)]),
      death(
        others.map((other) => other.suspects(victim, 1)),
        { forged: true },
      ),
    ]
    let sent = 0
    await attack(links, (turn) => {
      for (const link of links) if (link.send(frames[turn % frames.length]!)) sent += 1
    })
    return `${sent} forgeries sent`
  },
}

const replayed: Attack = {
  name: 'replayed statements',
  does: 'says again what others signed: every fact of the pool as news, the join of one who left, and words signed for another pool',
  bound: 'no life comes back; words from another pool are forgeries',
  isDropped: true,
  run: async ({ pool, enter, attack, sleep, scale }) => {
    const { link } = await enter()
    const heard: wire.Fact[] = []
    link.onFrame = ({ facts }) => heard.push(...(facts?.facts ?? []))
    link.send(askForAll)
    if (!(await until(() => heard.length >= scale.nodes, FACTS_WITHIN, 100))) throw new Error(`the pool told ${heard.length} facts`)
    // A member joins and leaves, and its join is sent again.
    const gone = new Sybil(pool.name)
    const joined = told([gone.joins()])
    link.send(joined)
    await sleep(200)
    link.send(told([gone.says({ kind: 'left', incarnation: 1 })]))
    await sleep(200)
    const foreign = told([new Sybil(`${pool.name}-other`).joins()])
    let frames = 0
    await attack([link], (turn) => {
      link.send(turn < 100 ? joined : turn < 200 ? { facts: { facts: heard.slice(0, 256), fresh: true } } : foreign)
      frames += 1
    })
    return `${heard.length} facts heard, ${frames} frames of them sent again`
  },
}

/** The thief has the key of a member that the attacker started: the pool's nodes keep theirs. */
const stolenIdentity: Attack = {
  name: 'stolen identity',
  does: 'connects with the key of a member that is linked already, says that it left, and joins in its place under higher incarnations',
  bound: 'the holder of the key is the member: nobody else is touched, and the pool follows the last word',
  run: async ({ pool, enter, attacker, attack, until }) => {
    const { mallory } = await enter()
    const { sybil } = mallory
    const thief = await attacker({ sybil })
    const links = [await thief.enter(pool.address()), await thief.enter(pool.address(1))]
    let lives = 1
    await attack(links, () => {
      if (performance.now() > until) return false
      lives += 1
      const frame = told([sybil.says({ kind: 'left', incarnation: lives - 1 }), sybil.joins([], lives)])
      for (const link of links) link.send(frame)
      return undefined
    })
    return `${lives} lives of one identity`
  },
}

const stolenKey: Attack = {
  name: 'a stolen key file',
  does: 'connects with a copy of the key file of an honest member that runs, and joins under higher incarnations',
  bound: 'the honest one finds out and stops with an error; nobody else is touched',
  fails: 1,
  run: async ({ pool, attacker, attack }) => {
    const sybil = new Sybil(pool.name, await pool.keyFile())
    const thief = await attacker({ sybil })
    const links = [await thief.enter(pool.address()), await thief.enter(pool.address(1))]
    let lives = 0
    await attack(links, (turn) => {
      if (turn % 10 > 0) return
      lives += 1
      for (const link of links) link.send(told([sybil.joins([], 1 + lives)]))
    })
    return `${lives} lives under a key that is not its own`
  },
}

const absurdEpochs: Attack = {
  name: 'absurd epochs and incarnations',
  does: 'claims the reign in epochs up to 2^48, tells members that they live in incarnations up to 2^48, and lies about both in its hello',
  bound: 'the reign stands and the epoch stays small',
  run: async ({ everywhere, attack }) => {
    const { mallory, links } = await everywhere()
    let sent = 0
    await attack(links, (turn) => {
      if (turn % 20 > 0) return
      const epoch = 2 ** (3 + (Math.floor(turn / 20) % 46))
      const claim = mallory.sybil.says({ kind: 'claim', election: 'master', epoch, incarnation: 1, sequence: 1 })
      for (const link of links) {
        link.send(told([claim]))
        link.send({ hello: { known: 2 ** 48, ended: true, incarnation: 1 } })
        sent += 1
      }
    })
    return `${sent} claims`
  },
}

export const byStatements: readonly Attack[] = [forged, replayed, stolenIdentity, stolenKey]
export { absurdEpochs }
