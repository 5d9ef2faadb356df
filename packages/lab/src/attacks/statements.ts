/** Attacks by statements that are forged, replayed or absurd, or signed by a stolen key. */
import type { wire } from '@jel/protocol/internals'
import { until } from '../base/wait.ts'
import { askForAll, death } from './frames.ts'
import { Sybil, told } from './sybil.ts'
import type { Attack } from './trial.ts'

/** Longest wait for the pool's facts, ms. */
const FACTS_WITHIN = 10_000

const forged: Attack = {
  name: 'forged statements',
  does: 'sends leaves, deaths and claims in the name of other members, with invalid signatures',
  bound: 'no node believes any of them, and the third frame ends the link',
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
  does: 'repeats signed statements: all facts of the pool as news, the join of a member that left, and a statement for another pool',
  bound: 'no ended incarnation comes back, and statements for another pool count as forgeries',
  isDropped: true,
  run: async ({ pool, enter, attack, sleep, scale }) => {
    const { link } = await enter()
    const heard: wire.Fact[] = []
    link.onFrame = ({ facts }) => heard.push(...(facts?.facts ?? []))
    link.send(askForAll)
    if (!(await until(() => heard.length >= scale.nodes, FACTS_WITHIN, 100))) throw new Error(`the pool told ${heard.length} facts`)
    // A member joins and leaves. The attack sends its join again.
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

/**
 * The attacker uses the key of a member that it started itself, because the pool's nodes keep their
 * keys secret.
 */
const stolenIdentity: Attack = {
  name: 'stolen identity',
  does: 'connects with the key of a member that has a link, announces its leave, and joins in its place under higher incarnations',
  bound: 'the holder of the key is the member: no other member is affected, and the pool follows the latest statement',
  run: async ({ enter, attacker, attack }) => {
    const { mallory } = await enter()
    const { sybil } = mallory
    const thief = await attacker({ sybil })
    const links = [(await enter(0, thief)).link, (await enter(1, thief)).link]
    let lives = 1
    await attack(links, () => {
      lives += 1
      const frame = told([sybil.says({ kind: 'left', incarnation: lives - 1 }), sybil.joins([], lives)])
      for (const link of links) link.send(frame)
    })
    return `${lives} lives of one identity`
  },
}

const stolenKey: Attack = {
  name: 'a stolen key file',
  does: 'connects with a copy of the key file of a running honest member, and joins under higher incarnations',
  bound: 'the honest member detects the copy and stops with an error; no other member is affected',
  fails: 1,
  run: async ({ pool, enter, attacker, attack }) => {
    const sybil = new Sybil(pool.name, await pool.keyFile())
    const thief = await attacker({ sybil })
    const links = [(await enter(0, thief)).link, (await enter(1, thief)).link]
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
  does: 'claims the reign in epochs up to 2^48, and sends a hello in which the member has ended in incarnation 2^48',
  bound: 'the winner keeps its reign, and the epoch stays small',
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
