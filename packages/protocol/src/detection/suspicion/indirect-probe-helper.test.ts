import { beforeEach, describe, expect, it } from 'vitest'
import { actors, forged, type Actor } from '../../../test/actors.ts'
import { framesTo, type Bench } from '../../../test/bench.ts'
import { accuses, aims, answersTo, gather, lose, poolOf, requestsTo } from '../../../test/detection.ts'
import { decodeId } from '../../base/id.ts'
import type { Effect } from '../../base/effect.ts'
import { statementToWire } from '../../facts/statement-codec.ts'
import type * as wire from '../../wire/messages.js'

const everyone = actors(60)
const [self, subject, bob, carol, dave] = everyone as [Actor, Actor, Actor, Actor, Actor]

let bench: Bench

beforeEach(() => {
  bench = poolOf(self, [subject, bob, carol, dave])
  bench.advance(20_000)
})

const request = (...subjects: readonly Actor[]): wire.Frame => ({
  pingReq: { subjects: subjects.map(({ id }) => Uint8Array.from(decodeId(id))) },
})
/** Asks, and waits for `wait` ms. */
const ask = (asker: Actor, of: Actor = subject, wait = gather * 3): Effect[] => [
  ...bench.receive(asker, request(of)),
  ...bench.advance(wait),
]

describe('a request for an indirect probe', () => {
  it('is passed on to the subject, and its signed answer is sent back', () => {
    const effects = ask(bob)
    expect(requestsTo(subject, subject, effects)).toBe(1)
    const { reached, missed } = answersTo(bob, effects)
    expect(missed).toEqual([])
    expect(reached.map(({ signer, content }) => ({ signer, content }))).toEqual([
      { signer: subject.id, content: { kind: 'refutation', incarnation: 1, heartbeat: bench.heartbeat } },
    ])
    expect(reached.every((statement) => bob.codec.verify(statement))).toBe(true)
  })

  it('is answered from memory for a second, whoever asks', () => {
    ask(bob)
    const again = ask(carol)
    expect(requestsTo(subject, subject, again)).toBe(0)
    expect(answersTo(carol, again).reached).toHaveLength(1)
    bench.advance(1_000)
    expect(requestsTo(subject, subject, ask(dave))).toBe(1)
  })

  it('makes an observer that misses the subject suspect it as well', () => {
    const stranger = everyone[5] as Actor
    bench.meet(stranger, { linked: false })
    bench.reach.set(stranger.id, 'refused')
    bench.advance(500)
    expect(accuses(bench, stranger)).toBe(false)
    ask(bob, stranger)
    bench.advance(300)
    expect(accuses(bench, stranger)).toBe(true)
  })

  it('for the same subject from several peers leads to one probe', () => {
    bench.unresponsive.add(subject.id)
    const effects = [bob, carol, dave, bob].flatMap((asker) => ask(asker, subject, 30))
    expect(requestsTo(subject, subject, effects)).toBe(1)
    const answer = [
      ...bench.receive(subject, { pingReqAck: { reached: [statementToWire(subject.refutes(bench.heartbeat))], missed: [], unknown: [] } }),
    ]
    answer.push(...bench.advance(gather))
    for (const asker of [bob, carol, dave]) expect(answersTo(asker, answer).reached).toHaveLength(1)
  })

  it('for this node itself is answered with its own signature, one per heartbeat', () => {
    const answers = [bob, carol, dave].map((asker) => answersTo(asker, ask(asker, self)).reached[0])
    expect(answers.map((answer) => answer?.signer)).toEqual([self.id, self.id, self.id])
    expect(new Set(answers.map((answer) => Buffer.from(answer?.signature ?? []).toString('hex'))).size).toBe(1)
  })

  it('is not answered "missed" because of a stall of this process', () => {
    bench.unresponsive.add(subject.id)
    ask(bob, subject, 20)
    expect(answersTo(bob, [...bench.sleep(20_000), ...bench.advance(gather)]).missed).toEqual([])
    expect(answersTo(bob, bench.advance(2_000)).missed).toHaveLength(1)
  })

  it('is answered "missed" if the subject does not answer in time', () => {
    bench.unresponsive.add(subject.id)
    expect(answersTo(bob, ask(bob, subject, 140)).missed).toEqual([])
    expect(answersTo(bob, bench.advance(60)).missed).toEqual([subject.id])
  })

  it('is answered "missed" if the link to the subject turns out to be broken, as the host refuses', () => {
    bench.unresponsive.add(subject.id)
    ask(bob)
    const effects = [...lose(bench, subject), ...bench.advance(gather)]
    expect(answersTo(bob, effects).missed).toEqual([subject.id])
  })

  it('is answered "missed" at once if this node accuses the subject itself', () => {
    lose(bench, subject)
    bench.advance(100)
    expect(accuses(bench, subject)).toBe(true)
    const effects = ask(carol)
    expect(answersTo(carol, effects).missed).toEqual([subject.id])
    expect(aims(effects, subject)).not.toContain('connect')
  })

  it('for a subject that is no member is answered "unknown", and nobody is dialled', () => {
    const stranger = everyone[20] as Actor
    const effects = ask(bob, stranger)
    expect(answersTo(bob, effects).unknown).toEqual([stranger.id])
    expect(aims(effects, stranger)).toEqual([])
  })
})

describe('a request for a member without a link', () => {
  const remote = everyone[6] as Actor

  beforeEach(() => {
    bench.meet(remote, { linked: false })
    bench.advance(10_000)
  })

  it('leads to a host probe at the address that the member signed', () => {
    bench.reach.set(remote.id, 'up')
    const effects = ask(bob, remote)
    expect(effects).toContainEqual({ type: 'probeHost', peer: remote.id, addresses: remote.joined().content.addresses })
    expect(requestsTo(remote, remote, effects)).toBe(1)
    expect(answersTo(bob, effects).reached).toHaveLength(1)
  })

  it('is given as long as an own probe if the host accepts: many peers may be dialling it', () => {
    bench.reach.set(remote.id, 'up')
    bench.unresponsive.add(remote.id)
    expect(answersTo(bob, [...ask(bob, remote), ...bench.advance(600)])).toMatchObject({ reached: [], missed: [], unknown: [] })
    const { missed, unknown } = answersTo(bob, bench.advance(1_000))
    expect([...missed, ...unknown]).toEqual([remote.id])
  })

  it('is answered "unknown" as soon as its host refuses: it may stand behind a NAT', () => {
    bench.reach.set(remote.id, 'refused')
    expect(answersTo(bob, ask(bob, remote)).unknown).toEqual([remote.id])
  })

  it('is answered "unknown" when a dial ends without a link', () => {
    bench.reach.set(remote.id, 'impostor')
    expect(answersTo(bob, ask(bob, remote)).unknown).toEqual([remote.id])
  })
})

describe('endless requests', () => {
  it('lead to a bounded number of host probes and dials', () => {
    const crowd = everyone.slice(8)
    for (const actor of crowd) bench.meet(actor, { linked: false })
    const probed = (effects: readonly Effect[]): number => crowd.filter((actor) => aims(effects, actor).includes('probeHost')).length
    expect(probed(bench.receive(bob, request(...crowd)))).toBeLessThanOrEqual(32)
    const dials = crowd.filter((actor) =>
      aims(bench.input({ type: 'hostProbed', peer: actor.id, outcome: 'accepted' }), actor).includes('connect'),
    )
    expect(dials.length).toBeLessThanOrEqual(4)
  })

  it('stay within the budget of the requesting peer', () => {
    let questions = 0
    for (let i = 0; i < 60; i++) {
      questions += requestsTo(subject, subject, ask(bob, subject, 100))
      bench.receive(bob, request(...Array.from({ length: 60 }, () => carol)))
    }
    expect(questions).toBeLessThanOrEqual(7)
    expect(bench.node.links).toContain(bob.id)
  })
})

describe("a helper's answer", () => {
  const answer = (...reached: readonly ReturnType<Actor['refutes']>[]): wire.Frame => ({
    pingReqAck: { reached: reached.map(statementToWire), missed: [], unknown: [] },
  })

  beforeEach(() => {
    for (const helper of [bob, carol, dave]) bench.unresponsive.add(helper.id)
    lose(bench, subject, 'refused')
    bench.advance(gather)
    expect(
      requestsTo(
        bob,
        subject,
        bench.log.map(({ effect }) => effect),
      ),
    ).toBe(1)
    for (const helper of [carol, dave])
      bench.receive(helper, { pingReqAck: { reached: [], missed: [Uint8Array.from(decodeId(subject.id))], unknown: [] } })
  })

  const isAccused = (): boolean => {
    bench.receive(bob, { pingReqAck: { reached: [], missed: [Uint8Array.from(decodeId(subject.id))], unknown: [] } })
    bench.advance(100)
    return accuses(bench, subject)
  }

  it('with the present heartbeat, signed, proves that the subject lives', () => {
    bench.receive(bob, answer(subject.refutes(bench.heartbeat)))
    expect(isAccused()).toBe(false)
  })

  it('with an old heartbeat proves nothing: it may have been kept back', () => {
    bench.advance(10)
    bench.receive(bob, answer(subject.refutes(bench.heartbeat - 10)))
    expect(isAccused()).toBe(true)
  })

  it('with a forged signature is an offence and proves nothing', () => {
    bench.receive(bob, answer(forged(subject.refutes(bench.heartbeat))))
    expect(bench.notifications).toContainEqual(expect.objectContaining({ type: 'warning', code: 'PEER_MISBEHAVED' }))
    expect(isAccused()).toBe(true)
  })

  it('about another life proves nothing', () => {
    bench.receive(bob, answer(subject.codec.sign(subject.id, { kind: 'refutation', incarnation: 2, heartbeat: bench.heartbeat })))
    expect(isAccused()).toBe(true)
  })

  it('without a request changes nothing', () => {
    const before = framesTo(
      dave.id,
      bench.log.map(({ effect }) => effect),
    ).length
    bench.receive(dave, {
      pingReqAck: { reached: [], missed: everyone.slice(5, 9).map(({ id }) => Uint8Array.from(decodeId(id))), unknown: [] },
    })
    expect(
      framesTo(
        dave.id,
        bench.log.map(({ effect }) => effect),
      ).length,
    ).toBe(before)
  })
})
