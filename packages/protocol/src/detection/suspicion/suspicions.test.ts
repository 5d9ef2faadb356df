import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actors, pool, servicesOf, type Actor } from '../../../test/actors.ts'
import { defaultConfig } from '../../base/config.ts'
import { Context } from '../../context/context.ts'
import { factOf } from '../../facts/fact.ts'
import { Suspicion, type Timer } from './suspicion.ts'
import { Suspicions } from './suspicions.ts'
import type { Finding, SuspicionState } from './transitions.ts'

const [self, ...others] = actors(9) as [Actor, ...Actor[]]
const findings: readonly Finding[] = ['missed', 'timedOut', 'proven', 'missedByHelpers', 'answered']
const timers: readonly Timer[] = ['probe', 'round', 'spread', 'publish', 'judge']

describe('suspicions', () => {
  it('are counted and found by due time, as if all were checked each time', () => {
    const change = fc.record({
      who: fc.nat(others.length - 1),
      how: fc.constantFrom('open', 'delete', 'enter', 'time', 'accuse', 'take back', 'dial', 'delay', 'clear'),
      finding: fc.constantFrom(...findings),
      timer: fc.constantFrom(...timers),
      at: fc.oneof(fc.nat(100), fc.constant(Infinity)),
    })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 100 }), (changes) => {
        const context = new Context({ id: self.id, pool, config: defaultConfig, services: servicesOf(self.id) })
        for (const actor of [self, ...others]) context.view.merge(factOf({ statement: actor.joined() }), 0, 0)
        const suspicions = new Suspicions(context)
        for (const { who, how, finding, timer, at } of changes) {
          const actor = others[who] as Actor
          const suspicion = suspicions.get(actor.id)
          context.now += 1
          if (how === 'open') suspicions.open(actor.id)
          else if (how === 'delete') suspicions.delete(actor.id)
          else if (how === 'enter') suspicion?.enter(finding, context.now)
          else if (how === 'time') suspicion?.schedule(timer, at)
          else if (how === 'accuse') suspicion?.add(self.suspects(actor))
          else if (how === 'take back') suspicion?.remove(self.id)
          else if (how === 'dial' && suspicion !== undefined) suspicion.dialling = at < 50 ? context.now : undefined
          else if (how === 'delay') suspicion?.delay(5)
          else if (at < 10) suspicions.clear()
          const all = [...suspicions.values()]
          const inState = (...some: readonly SuspicionState[]): number => all.filter((each) => some.includes(each.state)).length
          expect(suspicions.own).toBe(inState('probing', 'indirect', 'accused'))
          expect([suspicions.relayed, suspicions.probing, suspicions.accused]).toEqual(
            ['relayed', 'probing', 'accused'].map((each) => inState(each as SuspicionState)),
          )
          expect(suspicions.dialling).toBe(all.filter(({ dialling }) => dialling !== undefined).length)
          expect(context.timers.at('suspicion')).toBe(Math.min(Infinity, ...all.map(({ nextDue }) => nextDue)))
          expect(suspicions.due()).toEqual(all.filter(({ nextDue }) => nextDue <= context.now))
        }
      }),
      { numRuns: 100 },
    )
  })
})

it('a replaced accusation takes no memory, whatever peers received it', () => {
  const [accuser, peer, suspect] = others as [Actor, Actor, Actor]
  const suspicion = new Suspicion(suspect.id, 1, 0)
  const accusations = Array.from({ length: 3 }, (_, heartbeat) => accuser.suspects(suspect, heartbeat))
  for (const accusation of accusations) {
    suspicion.add(accusation)
    suspicion.exchange(peer.id, accusation)
  }
  for (const id of [accuser.id, peer.id])
    expect(accusations.map((accusation) => suspicion.hasExchanged(id, accusation))).toEqual([false, false, true])
})
