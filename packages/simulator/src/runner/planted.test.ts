import { ProtocolNode, defaultConfig, type BroadcastVerdict, type Effect, type Input, type Milliseconds, type Reign } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import type { Payload } from '../network/payload.ts'
import { InMemoryBroadcast, InMemoryFrame } from '../protocol/in-memory-codec.ts'
import type { Protocol, ProtocolParts } from '../protocol/protocol.ts'
import type { RunResult } from '../report/result.ts'
import { parseScenario } from '../scenario/parse.ts'
import { runScenario, type CreateProtocol } from './run.ts'

/** The protocol with a fault. Subclasses change its effects. */
class Faulty implements Protocol {
  protected readonly node: ProtocolNode<Payload>

  constructor(parts: ProtocolParts) {
    this.node = new ProtocolNode({ ...parts, config: defaultConfig })
  }

  get self(): ReturnType<Protocol['members']>[number] | undefined {
    return this.node.self
  }

  members(): ReturnType<Protocol['members']> {
    return this.node.members()
  }

  reign(election: string): Reign | undefined {
    return this.node.reign(election)
  }

  handle(input: Input<Payload>, now: Milliseconds): Effect<Payload>[] {
    return this.changed(this.node.handle(input, now), now, input)
  }

  handleBroadcast(data: Payload, now: Milliseconds): { verdict: BroadcastVerdict; effects: Effect<Payload>[] } {
    const { verdict, effects } = this.node.handleBroadcast(data, now)
    return { verdict, effects: this.changed(effects, now) }
  }

  protected changed(effects: Effect<Payload>[], _now: Milliseconds, _input?: Input<Payload>): Effect<Payload>[] {
    return effects
  }
}

const refutation = 4

/** Sends no refutations. As a helper it does not report that it reached a member. */
class NeverRefutes extends Faulty {
  protected override changed(effects: Effect<Payload>[]): Effect<Payload>[] {
    return effects.filter((effect) => {
      if (effect.type === 'broadcast' && effect.data instanceof InMemoryBroadcast)
        return effect.data.batch.facts.every(({ fact }) => !('statement' in fact.content) || fact.content.statement.kind !== refutation)
      if (effect.type !== 'send' || !(effect.data instanceof InMemoryFrame)) return true
      const { alarm, pingReqAck } = effect.data.message
      return (alarm?.statements ?? []).every(({ kind }) => kind !== refutation) && (pingReqAck?.reached ?? []).length === 0
    })
  }
}

/** Notifies of each death twice. */
class Stammers extends Faulty {
  protected override changed(effects: Effect<Payload>[]): Effect<Payload>[] {
    return effects.flatMap((effect) => (effect.type === 'notify' && effect.notification.type === 'died' ? [effect, effect] : [effect]))
  }
}

/** Never notifies of deaths, but removes dead members from its view. */
class NeverMourns extends Faulty {
  protected override changed(effects: Effect<Payload>[]): Effect<Payload>[] {
    return effects.filter((effect) => effect.type !== 'notify' || effect.notification.type !== 'died')
  }
}

/**
 * The plain bully algorithm: the lowest of all candidates wins, even over a reigning winner.
 * Candidates learn of each other at once.
 */
function bullies(): CreateProtocol {
  const standing = new Map<string, Faulty>()
  return (parts) =>
    new (class extends Faulty {
      #told: string | undefined

      override reign(election: string): Reign | undefined {
        const reign = super.reign(election)
        const lowest = [...standing.keys()].sort()[0]
        const winner = lowest === undefined ? undefined : standing.get(lowest)?.self
        return reign === undefined || winner === undefined ? reign : { ...reign, winner }
      }

      protected override changed(effects: Effect<Payload>[], _now: Milliseconds, input?: Input<Payload>): Effect<Payload>[] {
        if (input?.type === 'command' && input.command.type === 'elect') standing.set(parts.id, this)
        const reign = this.reign('master')
        const others = effects.filter((effect) => effect.type !== 'notify' || effect.notification.type !== 'elected')
        if (reign === undefined || reign.winner.id === this.#told) return others
        this.#told = reign.winner.id
        return [...others, { type: 'notify', notification: { type: 'elected', reign } }]
      }
    })(parts)
}

/**
 * Tries the seeds in order. Returns the first promise that is broken with the fault, but kept
 * without it.
 */
function caught(text: string, createProtocol: () => CreateProtocol, seeds = 1): RunResult['violation'] {
  const scenario = parseScenario(text)
  for (let seed = 1; seed <= seeds; seed++) {
    const { violation } = runScenario({ scenario, seed, createProtocol: createProtocol() }).result
    if (violation !== undefined && runScenario({ scenario, seed, createProtocol: sound }).result.violation === undefined) return violation
  }
  return undefined
}

const sound: CreateProtocol = (parts) => new Faulty(parts)

describe('a planted bug is caught', () => {
  const bridged = `
    nodes: { A: 8, B: 8, C: 2 }
    network: { sites: { A: { to: { B: 5ms, C: 5ms } }, B: { to: { C: 5ms } }, C: {} } }
    actions:
      - { at: 30s, cut: { from: { site: A }, to: { site: B }, ways: both }, for: 60s }
    duration: 2m`

  it('dropped refutations: a running node is reported dead', { timeout: 60_000 }, () => {
    const violation = caught(bridged, () => (parts) => new NeverRefutes(parts), 12)
    expect(violation?.what).toMatch(
      /^was told that node \d+(?: \(life \d+\))? died, which runs and was in contact(?: through node \d+(?: \(life \d+\))?)?$/u,
    )
    expect(violation?.before.join('\n')).toMatch(/joined node \d+/u)
  })

  const election = `
    nodes: 8
    duration: 30s
    actions:
      - { at: 5s, elect: master, by: 3 }
      - { at: 15s, elect: master, by: all }`

  it('a late lower id that wins: a living winner is unseated', () => {
    expect(caught(election, bullies)?.what).toMatch(
      /^was told that node \d won master \(epoch 1\), while node 3, whom all had named for \d+s \(epoch 1\), lives and stands$/u,
    )
  })

  const crash = `
    nodes: 8
    duration: 2m
    actions: [{ at: 10s, kill: 3 }]`

  it('a death that is reported twice', () => {
    expect(caught(crash, () => (parts) => new Stammers(parts))?.what).toMatch(/died after its end$/u)
  })

  it('a death that is never reported: the views do not become right', () => {
    expect(caught(crash, () => (parts) => new NeverMourns(parts))).toMatchObject({
      time: 100_000,
      what: '90s after the last change its view is not who is there (0 views are right)',
    })
  })
})
