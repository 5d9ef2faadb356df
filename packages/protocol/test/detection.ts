/** Failure detection on the bench: pools, losses, and the statements of the node under test. */
import { encodeId } from '../src/base/id.ts'
import type { Effect } from '../src/base/effect.ts'
import type { Milliseconds } from '../src/base/values.ts'
import { isKind, type Refutation, type Statement, type Accusation } from '../src/facts/statement.ts'
import type * as wire from '../src/wire/messages.js'
import type { Actor } from './actors.ts'
import { Bench, broadcastsIn, framesTo, type BenchOptions } from './bench.ts'

/** Gathering time of the batcher, ms, and a little more. */
export const gather = 15

/** Returns a node among members that are all linked with it, after a moment. */
export function poolOf(self: Actor, others: readonly Actor[], options: BenchOptions = {}): Bench {
  const bench = new Bench(self, options)
  for (const actor of others) bench.meet(actor)
  bench.advance(1_000)
  return bench
}

/**
 * Lets the node detect that it can't reach this member: the link breaks, and the host refuses or is
 * silent.
 */
export function lose(bench: Bench, actor: Actor, how: 'refused' | 'silent' = 'refused'): Effect[] {
  bench.reach.set(actor.id, how)
  return bench.unlink(actor)
}

export function isDead(bench: Bench, actor: Actor): boolean {
  return bench.changes.includes(`died:${actor.id}:${actor.incarnation}`)
}

export function isSuspected(bench: Bench): boolean {
  return bench.node.health(bench.now).suspectedShare > 0
}

function statementsTo(actor: Actor, effects: readonly Effect[]): Statement[] {
  return framesTo(actor.id, effects).flatMap((frame) => (frame.alarm?.statements ?? []).map((message) => actor.read(message)))
}

export function accusationsTo(actor: Actor, effects: readonly Effect[]): Statement<Accusation>[] {
  return statementsTo(actor, effects).filter((statement) => isKind(statement, 'suspicion'))
}

function statementsPublished(bench: Bench, effects: readonly Effect[]): Statement[] {
  return broadcastsIn(effects)
    .flatMap(({ facts }) => facts)
    .flatMap(({ statement }) => (statement === undefined ? [] : [bench.self.read(statement)]))
}

/** Returns the accusations that this node made and published. */
export function accusationsOf(bench: Bench, effects: readonly Effect[] = everything(bench)): Statement<Accusation>[] {
  return statementsPublished(bench, effects)
    .filter((statement) => isKind(statement, 'suspicion'))
    .filter(({ signer }) => signer === bench.self.id)
}

/** Returns the published refutations of any member. */
export function refutationsIn(bench: Bench, effects: readonly Effect[] = everything(bench)): Statement<Refutation>[] {
  return statementsPublished(bench, effects).filter((statement) => isKind(statement, 'refutation'))
}

export function refutationsTo(actor: Actor, effects: readonly Effect[]): Statement<Refutation>[] {
  return statementsTo(actor, effects).filter((statement) => isKind(statement, 'refutation'))
}

export function everything(bench: Bench): Effect[] {
  return bench.log.map(({ effect }) => effect)
}

/** True if the node published an accusation of this member. */
export function accuses(bench: Bench, suspect: Actor): boolean {
  return accusationsOf(bench).some(({ content }) => content.suspect === suspect.id)
}

/** Returns the time until the node accuses the member; undefined if it is longer than `atMost`. */
export function timeToAccusation(bench: Bench, suspect: Actor, atMost: Milliseconds): Milliseconds | undefined {
  return bench.until(() => accuses(bench, suspect), atMost)
}

export function probesTo(actor: Actor, effects: readonly Effect[]): number {
  return framesTo(actor.id, effects).filter(({ probe }) => probe !== undefined).length
}

/** Returns the number of requests to this helper to probe the subject. */
export function requestsTo(helper: Actor, subject: Actor, effects: readonly Effect[]): number {
  return framesTo(helper.id, effects).flatMap(({ pingReq }) => (pingReq?.subjects ?? []).filter((key) => encodeId(key) === subject.id))
    .length
}

/** Returns the answers to this peer's requests. */
export function answersTo(asker: Actor, effects: readonly Effect[]): { reached: Statement[]; missed: string[]; unknown: string[] } {
  const answers = framesTo(asker.id, effects).flatMap(({ pingReqAck }): wire.PingReqAck[] => (pingReqAck === undefined ? [] : [pingReqAck]))
  return {
    reached: answers.flatMap(({ reached }) => reached.map((message) => asker.read(message))),
    missed: answers.flatMap(({ missed }) => missed.map(encodeId)),
    unknown: answers.flatMap(({ unknown }) => unknown.map(encodeId)),
  }
}

/** Returns the direct probes of a member's host, by type. */
export function aims(effects: readonly Effect[], actor: Actor): string[] {
  return effects.flatMap((effect) =>
    (effect.type === 'connect' || effect.type === 'probeHost') && effect.peer === actor.id ? [effect.type] : [],
  )
}
