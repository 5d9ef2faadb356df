import { describe, expect, it } from 'vitest'
import { actors, alarm, death, facts, type Actor } from '../../test/actors.ts'
import { Bench, framesTo } from '../../test/bench.ts'
import {
  accuses,
  aims,
  everything,
  gather,
  isDead,
  isSuspected,
  lose,
  poolOf,
  probesTo,
  requestsTo,
  accusationsTo,
  timeToAccusation,
} from '../../test/detection.ts'
import { defaultConfig } from '../base/config.ts'
import { decodeId } from '../base/id.ts'
import type { Effect } from '../base/effect.ts'
import type { DialFailure } from '../base/input.ts'
import type { Milliseconds } from '../base/values.ts'
import { silent } from './suspicion/suspicion-timeout.ts'

const everyone = actors(12)
const [self, suspect, bob, carol, dave] = everyone as [Actor, Actor, Actor, Actor, Actor]
const helpers = [bob, carol, dave]
const { detection } = defaultConfig
const hour = 3_600_000

const five = (): Bench => poolOf(self, [suspect, ...helpers])
const keyOf = (actor: Actor): Uint8Array<ArrayBuffer> => Uint8Array.from(decodeId(actor.id))

describe('a link that breaks', () => {
  it.each<DialFailure>(['refused', 'impostor'])(
    'leads to an accusation at once if a dial then ends %s, after a request to helpers',
    (failure) => {
      const bench = five()
      bench.reach.set(suspect.id, failure)
      bench.unlink(suspect)
      const effects = bench.advance(gather)
      for (const helper of helpers) expect(requestsTo(helper, suspect, effects)).toBe(1)
      bench.advance(100)
      expect(accuses(bench, suspect)).toBe(true)
    },
  )

  it.each<['refused' | 'silent', number]>([
    ['refused', 6],
    ['silent', 11],
  ])('makes a node ask helpers before it accuses: if the host is %s, %i of eleven', (how, count) => {
    const others = everyone.slice(2)
    const bench = poolOf(self, [suspect, ...others, ...actors(1, 77)])
    lose(bench, suspect, how)
    bench.until(() => accuses(bench, suspect), 10_000)
    const helped = [...others, ...actors(1, 77)].filter((helper) => requestsTo(helper, suspect, everything(bench)) > 0)
    expect(helped).toHaveLength(count)
  })

  it('to the only other member means its death as soon as the host refuses: there is no helper to ask', () => {
    const bench = poolOf(self, [suspect])
    lose(bench, suspect)
    bench.advance(10)
    expect(isDead(bench, suspect)).toBe(true)
  })

  it('to a member that comes back has no effect', () => {
    const bench = five()
    bench.reach.set(suspect.id, 'up')
    bench.unlink(suspect)
    bench.advance(60_000)
    expect(bench.node.links).toContain(suspect.id)
    expect([isSuspected(bench), accuses(bench, suspect)]).toEqual([false, false])
  })

  it('after a goodbye raises no suspicion', () => {
    const bench = five()
    bench.receive(suspect, { goodbye: { reason: 'more links than needed' } })
    bench.unlink(suspect)
    expect(isSuspected(bench)).toBe(false)
  })

  it('to a peer that is no member raises no suspicion either', () => {
    const bench = poolOf(self, [bob])
    bench.link(suspect, { incarnation: 0 })
    expect(aims([...bench.unlink(suspect), ...bench.advance(5_000)], suspect)).toEqual([])
  })
})

describe('a host that is silent', () => {
  it('is accused within five seconds in all', () => {
    const bench = five()
    lose(bench, suspect, 'silent')
    expect(timeToAccusation(bench, suspect, 5_000)).toBeGreaterThanOrEqual(silent)
  })

  it('is accused within one or two more probes if its link does not break', () => {
    const bench = five()
    bench.reach.set(suspect.id, 'silent')
    bench.unresponsive.add(suspect.id)
    const rounds = detection.period * 4 * 1.5 + detection.period
    expect(timeToAccusation(bench, suspect, rounds + detection.probeTimeout + silent + 1_500)).toBeDefined()
  })
})

describe('an unresponsive process whose kernel accepts connections', () => {
  it.each<DialFailure>(['unresponsive', 'failed'])('is given fifteen seconds if a dial ends %s', (failure) => {
    const bench = five()
    bench.reach.set(suspect.id, failure)
    bench.unlink(suspect)
    const time = timeToAccusation(bench, suspect, detection.unresponsive * 2) as number
    expect(time).toBeGreaterThanOrEqual(detection.unresponsive)
    expect(time).toBeLessThanOrEqual(detection.unresponsive + 1_500)
  })

  it('is not accused if it is unresponsive for five seconds', () => {
    const bench = five()
    bench.unresponsive.add(suspect.id)
    bench.input({ type: 'command', command: { type: 'maybeDead', id: suspect.id } })
    bench.advance(5_000)
    expect(isSuspected(bench)).toBe(true)
    bench.unresponsive.delete(suspect.id)
    bench.receive(suspect, { ack: { sequence: 0, nextInMs: 0, heartbeat: bench.heartbeat } })
    expect(isSuspected(bench)).toBe(false)
    bench.advance(60_000)
    expect(accuses(bench, suspect)).toBe(false)
  })

  it('is detected although its link does not break', () => {
    const bench = five()
    bench.unresponsive.add(suspect.id)
    expect(timeToAccusation(bench, suspect, 60_000)).toBeGreaterThanOrEqual(detection.unresponsive)
  })
})

describe('a member that nobody can dial', () => {
  const returnTime = 4_000

  function hidden(): Bench {
    const bench = new Bench(self)
    bench.meet(suspect, { dialable: false })
    for (const helper of helpers) bench.meet(helper)
    bench.advance(1_000)
    return bench
  }

  it('is given time to come back by itself, whatever its address answers', () => {
    const bench = hidden()
    lose(bench, suspect)
    const time = timeToAccusation(bench, suspect, 60_000) as number
    expect(time).toBeGreaterThanOrEqual(returnTime)
    expect(time).toBeLessThanOrEqual(returnTime + 1_500)
  })

  it('is not accused if it comes back', () => {
    const bench = hidden()
    lose(bench, suspect)
    bench.advance(returnTime / 2)
    bench.link(suspect, { dialable: false })
    bench.advance(60_000)
    expect(accuses(bench, suspect)).toBe(false)
  })
})

describe('a member that a helper reaches, but not this node', () => {
  it.each<[string, (bench: Bench) => void]>([
    ['both ways', (bench): void => void lose(bench, suspect, 'silent')],
    [
      'one way only: its link stays up, and nothing that this node says arrives',
      (bench): void => {
        bench.unresponsive.add(suspect.id)
        bench.reach.set(suspect.id, 'silent')
      },
    ],
    ['at all, as a firewall refuses', (bench): void => void lose(bench, suspect, 'refused')],
  ])('is not accused: %s', (_, cut) => {
    const bench = five()
    bench.relays.add(dave.id)
    cut(bench)
    bench.advance(600_000)
    expect(bench.members).toContain(suspect.id)
    expect([accuses(bench, suspect), isDead(bench, suspect), isSuspected(bench)]).toEqual([false, false, false])
    expect(bench.node.links).not.toContain(suspect.id)
    expect(bench.node.health(bench.now).relayed).toBe(1)
    bench.link(suspect)
    expect(bench.node.health(bench.now).relayed).toBe(0)
  })

  it('is probed through the helper that reached it, less and less often', () => {
    const bench = five()
    bench.relays.add(dave.id)
    lose(bench, suspect, 'silent')
    bench.advance(3_000)
    const early = bench.advance(200_000)
    expect(requestsTo(dave, suspect, early)).toBeGreaterThanOrEqual(1)
    for (const helper of [bob, carol]) expect(requestsTo(helper, suspect, early)).toBe(0)
    const late = bench.advance(hour)
    expect(requestsTo(dave, suspect, late)).toBeGreaterThanOrEqual(hour / 450_000 - 1)
    expect(requestsTo(dave, suspect, late)).toBeLessThanOrEqual(hour / 150_000 + 2)
  })

  it.each<[string, (bench: Bench) => void, Milliseconds]>([
    ['when no helper reaches it any longer', () => {}, 300_000],
    ['soon after that helper died', (bench) => void lose(bench, dave), 15_000],
  ])('is accused %s', (_, change, atMost) => {
    const bench = five()
    bench.relays.add(dave.id)
    lose(bench, suspect, 'silent')
    bench.advance(10_000)
    bench.relays.clear()
    change(bench)
    expect(timeToAccusation(bench, suspect, atMost)).toBeDefined()
  })

  it('is probed again if others accuse it, unless it was reached a moment ago', () => {
    for (const [time, isProbed] of [
      [5_000, false],
      [20_000, true],
    ] as const) {
      const bench = five()
      bench.relays.add(dave.id)
      lose(bench, suspect)
      bench.advance(time)
      bench.relays.clear()
      bench.receive(bob, alarm(bob.suspects(suspect, bench.heartbeat)))
      bench.advance(1_000)
      expect([time, accuses(bench, suspect)]).toEqual([time, isProbed])
    }
  })

  it('is probed through other helpers when that helper is gone', () => {
    const bench = five()
    bench.relays.add(dave.id).add(carol.id)
    lose(bench, suspect, 'silent')
    bench.advance(10_000)
    const relay = requestsTo(dave, suspect, everything(bench)) > 1 ? dave : carol
    bench.receive(relay, { goodbye: { reason: 'moved' } })
    bench.unlink(relay)
    bench.advance(60_000)
    expect(accuses(bench, suspect)).toBe(false)
    expect(bench.members).toContain(suspect.id)
  })

  it('is reached directly again once it can be', () => {
    const bench = five()
    bench.relays.add(dave.id)
    lose(bench, suspect, 'silent')
    bench.advance(20_000)
    bench.reach.set(suspect.id, 'up')
    expect(bench.until(() => bench.node.links.has(suspect.id), 60_000)).toBeDefined()
    bench.advance(1_000)
    expect(requestsTo(dave, suspect, bench.advance(60_000))).toBe(0)
  })

  it('is not accused while its helpers may be stalled: for as long as an unresponsive process is given', () => {
    const bench = five()
    bench.relays.add(dave.id)
    lose(bench, suspect, 'silent')
    bench.advance(20_000)
    bench.relays.delete(dave.id)
    bench.unknowing.add(bob.id).add(carol.id).add(dave.id)
    const missedAt = bench.until(() => isSuspected(bench), 200_000)
    expect(missedAt).toBeDefined()
    expect(timeToAccusation(bench, suspect, 200_000)).toBeGreaterThan(bench.config.detection.unresponsive - 1_000)
  })

  it('is accused at once if a helper can tell that it is gone', () => {
    const bench = five()
    bench.relays.add(dave.id)
    lose(bench, suspect, 'silent')
    bench.advance(20_000)
    bench.relays.delete(dave.id)
    bench.unknowing.add(bob.id).add(carol.id)
    bench.until(() => isSuspected(bench), 200_000)
    expect(timeToAccusation(bench, suspect, 200_000)).toBeLessThan(3_000)
  })

  it('is probed for others by those helpers alone: this node answers that it can’t tell', () => {
    const bench = five()
    bench.relays.add(dave.id)
    lose(bench, suspect, 'silent')
    bench.advance(20_000)
    bench.receive(bob, { pingReq: { subjects: [keyOf(suspect)] } })
    const frames = framesTo(bob.id, bench.advance(gather))
    expect(frames.flatMap(({ pingReqAck }) => pingReqAck?.unknown ?? [])).toEqual([keyOf(suspect)])
  })
})

describe('a member with which neither this node nor a helper was ever in contact', () => {
  function suspecting(how: 'refused' | 'silent'): Bench {
    const bench = poolOf(self, helpers)
    bench.meet(suspect, { linked: false })
    bench.unknowing.add(bob.id).add(carol.id).add(dave.id)
    bench.reach.set(suspect.id, how)
    bench.input({ type: 'command', command: { type: 'maybeDead', id: suspect.id } })
    return bench
  }
  const accusation = (by: Actor): Parameters<Bench['receive']>[1] => alarm(by.suspects(suspect))

  it('is accused once another member accuses it, if its host refuses', () => {
    const bench = suspecting('refused')
    bench.advance(3_000)
    expect(accuses(bench, suspect)).toBe(false)
    bench.receive(bob, accusation(bob))
    expect(timeToAccusation(bench, suspect, 1_000)).toBeLessThan(100)
  })

  it('is accused as soon as no helper can tell, if another member accused it before', () => {
    const bench = suspecting('refused')
    bench.receive(bob, accusation(bob))
    expect(timeToAccusation(bench, suspect, 1_000)).toBeLessThan(500)
  })

  it('is not accused if its host is silent: a network cut may separate it from both', () => {
    const bench = suspecting('silent')
    bench.advance(3_000)
    bench.receive(bob, accusation(bob))
    bench.advance(3_000)
    expect(accuses(bench, suspect)).toBe(false)
  })

  it.each([0, 200, 700, 3_000])('is dead soon after a certificate of few accusers came, if helpers believe it: after %i ms', (after) => {
    const bench = suspecting('silent')
    bench.advance(after)
    bench.receive(bob, facts([death(suspect, [bob, carol])]))
    expect(isDead(bench, suspect)).toBe(false)
    bench.unknowing.clear()
    expect(bench.until(() => isDead(bench, suspect), 20_000)).toBeLessThan(4_000)
  })
})

describe('a node that no helper answers', () => {
  /** Returns a node whose links are up, but nobody answers. */
  function cutOff(size: number): Bench {
    const others = everyone.slice(1, size)
    const bench = poolOf(self, others)
    for (const actor of others) {
      bench.unresponsive.add(actor.id)
      bench.reach.set(actor.id, 'silent')
    }
    return bench
  }
  const lonely = (size: number, how: 'refused' | 'silent'): Bench => {
    const others = everyone.slice(1, size)
    const bench = poolOf(self, others)
    for (const actor of others) lose(bench, actor, how)
    return bench
  }

  it.each([3, 4, 9])('accuses nobody among %i members: it may be cut off itself', (size) => {
    for (const bench of [cutOff(size), lonely(size, 'silent')]) {
      bench.advance(600_000)
      expect(bench.members).toHaveLength(size)
      expect(everyone.slice(1, size).some((actor) => accusationsTo(actor, everything(bench)).length > 0)).toBe(false)
      expect(bench.node.health(bench.now)).toMatchObject({ suspectedShare: 1 })
    }
  })

  it('reports that it is alone', () => {
    const bench = lonely(9, 'silent')
    bench.advance(10_000)
    expect(bench.node.health(bench.now).alone).toBe(true)
  })

  it('asks again, less and less often', () => {
    const bench = poolOf(self, [suspect, ...helpers])
    for (const helper of helpers) bench.unresponsive.add(helper.id)
    lose(bench, suspect, 'silent')
    bench.advance(600_000)
    expect(accuses(bench, suspect)).toBe(false)
    expect(bench.members).toContain(suspect.id)
  })

  it('accuses the only other member all the same: it has nobody to ask', () => {
    const bench = lonely(2, 'silent')
    bench.advance(10_000)
    expect(bench.members).toEqual([self.id])
  })

  it('pronounces the others dead if their hosts refuse for long: a last process does not stay in a dead pool', () => {
    const bench = lonely(9, 'refused')
    bench.advance(4_000)
    expect(bench.members).toHaveLength(9)
    bench.advance(30_000)
    expect(bench.members).toEqual([self.id])
  })

  it('pronounces silent members dead after an hour', () => {
    const bench = lonely(9, 'silent')
    bench.advance(hour - 120_000)
    expect(bench.members).toHaveLength(9)
    bench.advance(240_000)
    expect(bench.members).toEqual([self.id])
  })

  it('counts that hour in its own time, without the time that it slept', () => {
    const bench = lonely(9, 'silent')
    bench.advance(10_000)
    bench.sleep(hour * 2)
    bench.advance(60_000)
    expect(bench.members).toHaveLength(9)
  })

  it('counts an hour without members: strangers that call do not matter', () => {
    const bench = lonely(9, 'silent')
    const [stranger] = actors(1, 77) as [Actor]
    for (let i = 0; i < 6; i++) {
      bench.advance(hour / 6)
      bench.link(stranger, { incarnation: 0 })
      bench.advance(1_000)
      bench.unlink(stranger)
    }
    bench.advance(180_000)
    expect(bench.members).toEqual([self.id])
  })

  it('sends no earlier accusation when the members answer at last', () => {
    const bench = lonely(12, 'silent')
    bench.advance(120_000)
    for (const actor of everyone.slice(1)) bench.reach.set(actor.id, 'up')
    bench.relays.add(bob.id)
    bench.link(bob)
    bench.advance(60_000)
    for (const actor of everyone.slice(1)) expect(accusationsTo(actor, everything(bench))).toEqual([])
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, suspectedShare: 0 })
  })

  it('looks for the members at a bounded rate, less and less often', () => {
    const others = actors(40, 5)
    const bench = poolOf(self, others)
    for (const actor of others) lose(bench, actor, 'silent')
    const looks = (): number => bench.advance(20_000).filter(({ type }) => type === 'probeHost' || type === 'connect').length
    bench.advance(10_000)
    const soon = looks()
    bench.advance(120_000)
    const late = looks()
    expect(soon).toBeLessThan((20_000 / 500) * 8 * 1.5)
    expect(late).toBeGreaterThan(0)
    expect(late).toBeLessThanOrEqual(soon)
  })

  it('suspects silent helpers', () => {
    const bench = poolOf(self, [suspect, bob, carol])
    // The node's own probes come too late to find the silent helper.
    bench.turn = 60_000
    bench.advance(10_000)
    bench.unresponsive.add(bob.id)
    lose(bench, suspect)
    expect(bench.until(() => aims(everything(bench), bob).length > 0, 3_000)).toBeDefined()
    bench.advance(100)
    expect(accuses(bench, suspect)).toBe(true)
  })
})

describe('a host that stalled', () => {
  it('gives others extra time for the stall', () => {
    const bench = five()
    bench.reach.set(suspect.id, 'unresponsive')
    bench.unlink(suspect)
    bench.advance(5_000)
    bench.sleep(60_000)
    bench.advance(1_000)
    expect(accuses(bench, suspect)).toBe(false)
    expect(timeToAccusation(bench, suspect, detection.unresponsive * 4)).toBeDefined()
  })

  it('does not count a probe as unanswered if the answer waited during the stall', () => {
    const bench = poolOf(self, [suspect, bob])
    bench.unresponsive.add(suspect.id)
    const probed = bench.until(() => probesTo(suspect, bench.advance(50)) > 0, 20_000)
    expect(probed).toBeDefined()
    bench.sleep(60_000)
    expect(isSuspected(bench)).toBe(false)
  })

  it('trusts a refusal even so', () => {
    const bench = poolOf(self, [suspect])
    bench.sleep(60_000)
    lose(bench, suspect)
    bench.advance(100)
    expect(isDead(bench, suspect)).toBe(true)
  })
})

describe('a hint that a member may be dead', () => {
  const hint = (bench: Bench): Effect[] => bench.input({ type: 'command', command: { type: 'maybeDead', id: suspect.id } })

  it('makes this node probe the member now', () => {
    const bench = poolOf(self, [suspect, bob])
    expect(probesTo(suspect, [...hint(bench), ...bench.advance(10)])).toBe(1)
  })

  it.each<[string, boolean]>([
    ['linked', true],
    ['not linked', false],
  ])('does not lead to the death of a living member that is %s', (_, linked) => {
    const bench = poolOf(self, helpers)
    bench.meet(suspect, { linked })
    bench.reach.set(suspect.id, 'up')
    for (let i = 0; i < 10; i++) {
      hint(bench)
      bench.receive(bob, alarm(bob.suspects(suspect, i)))
      bench.advance(3_000)
    }
    expect([isDead(bench, suspect), accuses(bench, suspect), isSuspected(bench)]).toEqual([false, false, false])
  })

  it('leads to no accusation of a member that answers on its link although nothing listens at its address', () => {
    const bench = five()
    bench.reach.set(suspect.id, 'refused')
    for (let i = 0; i < 10; i++) {
      hint(bench)
      bench.advance(3_000)
    }
    expect(accuses(bench, suspect)).toBe(false)
  })

  it('is ignored if it names no member, this node or nonsense', () => {
    const bench = poolOf(self, [bob])
    for (const id of [dave.id, self.id, 'nonsense', '']) {
      const effects = bench.input({ type: 'command', command: { type: 'maybeDead', id } })
      expect(effects.filter(({ type }) => type !== 'timer')).toEqual([])
    }
  })
})

describe('a suspect that sends anything', () => {
  it('is no longer suspected', () => {
    const bench = poolOf(self, [suspect, bob])
    bench.unresponsive.add(suspect.id)
    bench.until(() => isSuspected(bench), 30_000)
    bench.receive(suspect, { probe: { sequence: 1 } })
    expect(isSuspected(bench)).toBe(false)
  })
})

describe('a new life', () => {
  it('is not suspected for events of the life before', () => {
    const bench = five()
    bench.reach.set(suspect.id, 'unresponsive')
    bench.unlink(suspect)
    bench.advance(detection.unresponsive - 1_000)
    bench.reach.set(suspect.id, 'hang')
    bench.receive(bob, facts([suspect.joined({ incarnation: 2 })]))
    expect(aims(bench.advance(10), suspect)).not.toContain('probeHost')
    bench.receive(bob, alarm(bob.suspects(suspect, 0, 1)))
    expect(aims(bench.advance(10), suspect)).not.toContain('probeHost')
    expect(bench.node.member(suspect.id)?.incarnation).toBe(2)
  })
})

describe('a member that this node does not observe', () => {
  // Of forty members not all observe each other.
  const crowd = actors(40, 3)

  it('is probed first through one of its observers, then through others, as its observers may be dead', () => {
    const [node, ...others] = crowd as [Actor, ...Actor[]]
    const asked = others.slice(0, 12).map((actor) => {
      const bench = poolOf(node, others)
      const helpers = (): number => others.filter((helper) => requestsTo(helper, actor, everything(bench)) > 0).length
      lose(bench, actor)
      bench.advance(1_000)
      const first = helpers()
      bench.advance(5_000)
      return { first, later: helpers() }
    })
    expect(asked.filter(({ first }) => first === 1).length).toBeGreaterThan(0)
    expect(asked.filter(({ first }) => first > 3).length).toBeGreaterThan(0)
    expect(asked.filter(({ later }) => later < 4)).toEqual([])
  })

  it('is not watched while helpers reach it: this node asks again when it next dials it', () => {
    const [node, ...others] = crowd as [Actor, ...Actor[]]
    const relayed = others.slice(0, 12).map((actor) => {
      const bench = poolOf(node, others)
      for (const { id } of others) if (id !== actor.id) bench.relays.add(id)
      lose(bench, actor, 'silent')
      bench.advance(3_000)
      const first = bench.node.health(bench.now).relayed
      bench.advance(42_000)
      return [first, bench.node.health(bench.now).relayed]
    })
    expect(relayed.every(([first]) => first === 1)).toBe(true)
    expect(new Set(relayed.map(([, later]) => later))).toEqual(new Set([0, 1]))
  })
})

describe('a death of a linked member that enough accusers certified', () => {
  const certified = death(suspect, everyone.slice(2, 6))

  it('is believed as soon as this node does not reach the member either, without helpers', () => {
    const bench = poolOf(self, everyone.slice(1))
    bench.overhears(certified)
    bench.advance(100)
    expect(isDead(bench, suspect)).toBe(false)
    lose(bench, suspect)
    bench.advance(10)
    expect(isDead(bench, suspect)).toBe(true)
  })

  it('is not believed while the member answers', () => {
    const bench = poolOf(self, everyone.slice(1))
    bench.overhears(certified)
    bench.advance(4_500)
    expect(isDead(bench, suspect)).toBe(false)
  })
})

describe('a death with too few accusers', () => {
  it.each([
    [60, true],
    [91, false],
  ])('is believed %i s later, when this node and its helpers miss the member: %s', (seconds, isBelieved) => {
    const bench = poolOf(self, everyone.slice(1))
    bench.receive(bob, facts([death(suspect, [carol])]))
    bench.advance(seconds * 1_000)
    lose(bench, suspect)
    bench.until(() => accuses(bench, suspect) || isDead(bench, suspect), 20_000)
    expect(isDead(bench, suspect)).toBe(isBelieved)
  })
})
