import { describe, expect, it } from 'vitest'
import { actors, alarm, type Actor } from '../../../test/actors.ts'
import { Bench, framesTo } from '../../../test/bench.ts'
import { accuses, aims, lose, poolOf, probesTo } from '../../../test/detection.ts'
import { defaultConfig } from '../../base/config.ts'
import { probeLinkTime } from '../../context/links.ts'
import type { Effect } from '../../base/effect.ts'
import type { Milliseconds } from '../../base/values.ts'

const everyone = actors(24)
const [self, suspect, bob, carol, dave] = everyone as [Actor, Actor, Actor, Actor, Actor]
const { detection } = defaultConfig
const hint = (bench: Bench, { id }: Actor): Effect[] => bench.input({ type: 'command', command: { type: 'maybeDead', id } })

describe('a suspected member', () => {
  it('gets a host probe, and a dial if its host answers', () => {
    const bench = poolOf(self, [suspect, bob])
    bench.reach.set(suspect.id, 'unresponsive')
    expect(aims([...bench.unlink(suspect), ...bench.advance(10)], suspect).sort()).toEqual(['connect', 'probeHost'])
    const dead = poolOf(self, [suspect, bob])
    expect(aims([...lose(dead, suspect), ...dead.advance(10)], suspect)).not.toContain('connect')
  })

  it('is probed less and less often', () => {
    const bench = poolOf(self, [suspect, bob])
    bench.unresponsive.add(suspect.id)
    hint(bench, suspect)
    const probesIn = (span: Milliseconds): number => aims(bench.advance(span), suspect).length
    expect(probesIn(4_000)).toBeGreaterThanOrEqual(3)
    expect(probesIn(8_000)).toBeLessThanOrEqual(2)
  })

  it('is probed over its link if that is up', () => {
    const bench = poolOf(self, [suspect, bob])
    expect(probesTo(suspect, [...hint(bench, suspect), ...bench.advance(10)])).toBe(1)
  })

  it('with a link gets a host probe only if no answer came over the link', () => {
    const bench = poolOf(self, [suspect, bob])
    expect(aims([...hint(bench, suspect), ...bench.advance(1_000)], suspect)).toEqual([])
    bench.unresponsive.add(suspect.id)
    expect(aims([...hint(bench, suspect), ...bench.advance(90)], suspect)).toEqual([])
    expect(aims(bench.advance(20), suspect)).toEqual(['probeHost'])
  })
})

describe('the way in which a member was reached', () => {
  const returnTime = 4_000

  /** Returns true if this node gives the member time to come back by itself. */
  function waits(bench: Bench): boolean {
    lose(bench, suspect)
    bench.advance(returnTime / 2)
    return !accuses(bench, suspect)
  }
  const among = (): Bench => poolOf(self, [bob, carol, dave])

  it('counts for as long as the member lives, even if the member calls by itself later', () => {
    const bench = among()
    bench.meet(suspect, { dialable: true })
    bench.receive(suspect, { goodbye: { reason: 'more links than needed' } })
    bench.unlink(suspect)
    bench.link(suspect, { dialable: false })
    expect(waits(bench)).toBe(false)
  })

  it('is by its own call if it was never dialled', () => {
    const bench = among()
    bench.meet(suspect, { dialable: false })
    expect(waits(bench)).toBe(true)
  })

  it('is forgotten with its life', () => {
    const bench = among()
    bench.meet(suspect, { dialable: false })
    bench.receive(suspect, { goodbye: { reason: 'it leaves' } })
    bench.unlink(suspect)
    bench.overhears(suspect.left(), suspect.joined({ incarnation: 2 }))
    bench.reach.set(suspect.id, 'refused')
    bench.receive(bob, alarm(bob.suspects(suspect, 0, 2)))
    bench.advance(returnTime / 2)
    expect(accuses(bench, suspect)).toBe(true)
  })
})

describe('probes because of hints and accusations', () => {
  it('are bounded in number at a time', () => {
    const bench = new Bench(self)
    bench.meet(bob)
    const crowd = everyone.slice(4)
    for (const actor of crowd) bench.meet(actor, { linked: false })
    for (const actor of crowd) hint(bench, actor)
    expect(bench.node.health(bench.now).suspectedShare).toBeCloseTo(8 / (crowd.length + 1))
  })

  it('that ended in a link count at least until that link may be closed', () => {
    const bench = new Bench(self)
    bench.meet(bob)
    const crowd = everyone.slice(4)
    for (const actor of crowd) {
      bench.meet(actor, { linked: false })
      bench.reach.set(actor.id, 'up')
    }
    const hintAll = (): void => {
      for (const actor of crowd) hint(bench, actor)
    }
    const linked = (): number => crowd.filter(({ id }) => bench.node.links.has(id)).length
    hintAll()
    expect(linked()).toBe(8)
    bench.advance(probeLinkTime + 100)
    hintAll()
    expect(linked()).toBeGreaterThan(8)
  })

  const looksWith = (linked: number): number => {
    const bench = new Bench(self, { config: { links: { max: 4 } } })
    const strangers = everyone.slice(1 + linked, 1 + linked + 8)
    for (const actor of everyone.slice(1, 1 + linked)) bench.meet(actor)
    for (const actor of strangers) bench.meet(actor, { linked: false })
    return strangers.filter((actor) => aims(hint(bench, actor), actor).includes('probeHost')).length
  }

  it('are fewer if a node has as many links as it wants, so that it does not exceed its bound', () => {
    expect(looksWith(2)).toBe(8)
    expect(looksWith(6)).toBe(4)
  })

  it('are never fewer than one', () => {
    expect(looksWith(13)).toBe(1)
  })
})

describe('if most members answer late', () => {
  const crowd = [suspect, bob, carol, dave]
  const slowness = detection.probeTimeout * 2

  /**
   * Answers each probe after this delay, ms; undefined: never. Returns a function that lets time
   * pass, and returns all effects.
   */
  function answering(bench: Bench, delayOf: (actor: Actor) => Milliseconds | undefined): (span: Milliseconds) => Effect[] {
    let waiting: { readonly at: Milliseconds; readonly actor: Actor; readonly sequence: number }[] = []
    for (const actor of crowd) bench.unresponsive.add(actor.id)
    return (span) => {
      const effects: Effect[] = []
      const note = (more: readonly Effect[]): void => {
        effects.push(...more)
        for (const actor of crowd) {
          const delay = delayOf(actor)
          for (const { probe } of framesTo(actor.id, more))
            if (probe !== undefined && delay !== undefined) waiting.push({ at: bench.now + delay, actor, sequence: probe.sequence })
        }
      }
      for (const end = bench.now + span; bench.now < end;) {
        note(bench.advance(50))
        const due = waiting.filter(({ at }) => at <= bench.now)
        waiting = waiting.filter(({ at }) => at > bench.now)
        for (const { actor, sequence } of due)
          note(bench.receive(actor, { ack: { sequence, nextInMs: detection.period, heartbeat: bench.heartbeat } }))
      }
      return effects
    }
  }

  function slowPool(): { bench: Bench; pass: (span: Milliseconds) => Effect[]; gone: Set<Actor> } {
    const bench = poolOf(self, crowd)
    const gone = new Set<Actor>()
    for (const actor of crowd) bench.reach.set(actor.id, 'unresponsive')
    const pass = answering(bench, (actor) => (gone.has(actor) ? undefined : slowness))
    pass(60_000)
    return { bench, pass, gone }
  }

  it('no member is suspected for that', () => {
    const effects = slowPool().pass(60_000)
    expect(crowd.flatMap((actor) => aims(effects, actor))).toEqual([])
    expect(probesTo(suspect, effects)).toBeGreaterThan(10)
  })

  it('a slow handshake has no effect', () => {
    const share = (bench: Bench): number => {
      const stranger = everyone[7] as Actor
      bench.meet(stranger, { linked: false })
      bench.input({ type: 'unreachable', peer: stranger.id, addresses: [], failure: 'unresponsive', reason: 'timed out' })
      return bench.node.health(bench.now).suspectedShare
    }
    expect(share(slowPool().bench)).toBe(0)
    expect(share(poolOf(self, crowd))).toBeGreaterThan(0)
  })

  it('suspects are dialled one at a time, otherwise a few at a time', () => {
    const dials = (bench: Bench): number => {
      const strangers = everyone.slice(6, 13)
      for (const actor of strangers) bench.meet(actor, { linked: false })
      return strangers.filter((actor) => {
        hint(bench, actor)
        return aims(bench.input({ type: 'hostProbed', peer: actor.id, outcome: 'accepted' }), actor).includes('connect')
      }).length
    }
    expect(dials(slowPool().bench)).toBe(1)
    expect(dials(poolOf(self, crowd))).toBe(4)
  })

  it('a member that never answers is detected all the same', () => {
    const { bench, pass, gone } = slowPool()
    bench.reach.set(suspect.id, 'silent')
    gone.add(suspect)
    pass(60_000)
    expect(bench.node.health(bench.now).suspectedShare).toBeGreaterThan(0)
  })

  it('a member is still suspected each time if it is the only late one', () => {
    const bench = poolOf(self, crowd)
    const effects = answering(bench, (actor) => (actor === suspect ? slowness : 10))(60_000)
    expect(aims(effects, suspect).length).toBeGreaterThan(5)
    expect(aims(effects, bob)).toEqual([])
  })
})
