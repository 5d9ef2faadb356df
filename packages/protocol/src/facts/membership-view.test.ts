import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actors, death, type Actor } from '../../test/actors.ts'
import { makeConfig } from '../base/config.ts'
import { hashSpace } from '../base/hash.ts'
import type { Certificate } from './certificate.ts'
import { factOf, type Fact, type FactContent } from './fact.ts'
import { FactSet } from './fact-set.ts'
import { Registry } from './registry.ts'
import type { Joined, Left, Statement } from './statement.ts'
import { shareUntil } from './tombstones.ts'
import { View, type Change } from './membership-view.ts'

const config = makeConfig()
const people = actors(8)
const [alice, bob, carol] = people as [Actor, Actor, Actor]
const subjects = [alice, bob, carol]

/** News about a member, in any possible form. */
interface News {
  readonly subject: number
  readonly incarnation: number
  readonly what: 'joined' | 'left' | 'died'
  /** Selects one of two statements that a faulty member signs for one life, or the accusers. */
  readonly variant: number
}

const news: fc.Arbitrary<News> = fc.record({
  subject: fc.nat(subjects.length - 1),
  incarnation: fc.integer({ min: 1, max: 3 }),
  what: fc.constantFrom('joined', 'left', 'died'),
  variant: fc.nat(3),
})
const history = fc.array(news, { maxLength: 24 })

type Content = Statement<Joined> | Statement<Left> | Certificate

function contentOf({ subject, incarnation, what, variant }: News): Content {
  const actor = subjects[subject] as Actor
  if (what === 'joined') return actor.joined({ incarnation, version: 1 + (variant >> 1), nonce: variant })
  if (what === 'left') return actor.left(incarnation)
  return death(actor, people.slice(4 + (variant % 2), 7 + (variant % 2)), 0, incarnation)
}

function read(content: Content): Fact {
  return factOf('signer' in content ? { statement: content } : { certificate: content })
}

class Observer {
  readonly facts = new FactSet(new Registry())
  /** The next time at which a tombstone expires. */
  expiry = Infinity
  readonly view = new View(this.facts, config, (at) => (this.expiry = at))
  readonly changes: Change[] = []

  constructor(...contents: readonly Content[]) {
    for (const content of contents) this.hear(content)
  }

  hear(content: Content): this {
    this.changes.push(...this.view.merge(read(content), 0, 0))
    return this
  }

  /** Contents of the facts that the observer would send to another node. */
  get told(): Content[] {
    return this.facts.ranges.range(0, hashSpace).map(({ content }) => contentIn(content))
  }

  get state(): unknown {
    const alive = [...this.view.members()].map(({ id, incarnation }) => `${id}:${incarnation}`).sort()
    const ended = subjects.map(({ id }) => this.view.ending(id)).map((ending) => ending && `${ending.incarnation}:${ending.says}`)
    return { alive, ended, fingerprint: this.facts.ranges.fingerprint(0, hashSpace) }
  }
}

function contentIn(content: FactContent): Content {
  return 'certificate' in content ? content.certificate : (content.statement as Statement<Joined> | Statement<Left>)
}

const permuted = history.chain((items) =>
  fc.tuple(fc.constant(items), fc.shuffledSubarray(items, { minLength: items.length, maxLength: items.length })),
)

describe('merging news of members', () => {
  it('has the same result in any order', () => {
    fc.assert(
      fc.property(permuted, ([one, other]) => {
        expect(new Observer(...other.map(contentOf)).state).toEqual(new Observer(...one.map(contentOf)).state)
      }),
      { numRuns: 300 },
    )
  })

  it('has the same result however often it is repeated', () => {
    fc.assert(
      fc.property(history, fc.array(fc.nat(), { maxLength: 12 }), (items, again) => {
        const contents = items.map(contentOf)
        const repeated = [...contents, ...again.flatMap((i) => contents[i % Math.max(contents.length, 1)] ?? [])]
        const once = new Observer(...contents)
        const repeatedly = new Observer(...repeated)
        expect(repeatedly.state).toEqual(once.state)
        expect(repeatedly.changes).toEqual(once.changes)
      }),
    )
  })

  it('has the same result in any grouping: merged results of others are as good as the news itself', () => {
    fc.assert(
      fc.property(history, history, history, (a, b, c) => {
        const all = new Observer(...[...a, ...b, ...c].map(contentOf))
        const left = new Observer(...a.map(contentOf), ...new Observer(...b.map(contentOf), ...new Observer(...c.map(contentOf)).told).told)
        const right = new Observer(
          ...new Observer(...c.map(contentOf), ...new Observer(...b.map(contentOf), ...new Observer(...a.map(contentOf)).told).told).told,
        )
        expect(left.state).toEqual(all.state)
        expect(right.state).toEqual(all.state)
      }),
      { numRuns: 300 },
    )
  })

  it('knows beforehand whether a fact is news', () => {
    fc.assert(
      fc.property(history, news, (items, item) => {
        const observer = new Observer(...items.map(contentOf))
        const { view } = observer
        const content = contentOf(item)
        const isNews = view.isNews(read(content))
        const before = observer.state
        observer.hear(content)
        if (isNews) expect(observer.state).not.toEqual(before)
        else expect(observer.state).toEqual(before)
      }),
      { numRuns: 300 },
    )
  })

  it('never resurrects: a life that ended never lives again', () => {
    fc.assert(
      fc.property(history, (items) => {
        const observer = new Observer()
        const over = new Set<string>()
        for (const item of items) {
          observer.hear(contentOf(item))
          if (item.what !== 'joined')
            for (let past = 1; past <= item.incarnation; past++) over.add(`${(subjects[item.subject] as Actor).id}:${past}`)
          for (const { id, incarnation } of observer.view.members()) {
            expect(over).not.toContain(`${id}:${incarnation}`)
            expect(observer.view.hasEnded(id, incarnation)).toBe(false)
          }
          for (const life of over) {
            const [id, incarnation] = life.split(':') as [string, string]
            expect(observer.view.hasEnded(id, Number(incarnation))).toBe(true)
          }
        }
      }),
      { numRuns: 300 },
    )
  })

  it('reports at most one start and one end of a life, the start first, so that the changes show the members', () => {
    fc.assert(
      fc.property(history, (items) => {
        const observer = new Observer(...items.map(contentOf))
        const seen = new Map<string, string>()
        const present = new Map<string, number>()
        for (const { type, member } of observer.changes) {
          const life = `${member.id}:${member.incarnation}`
          if (type === 'updated') {
            expect(present.get(member.id)).toBe(member.incarnation)
            continue
          }
          expect(seen.get(life)).toBe(type === 'joined' ? undefined : 'joined')
          seen.set(life, type)
          if (type === 'joined') {
            expect(present.has(member.id)).toBe(false)
            present.set(member.id, member.incarnation)
          } else present.delete(member.id)
        }
        expect(present).toEqual(new Map([...observer.view.members()].map(({ id, incarnation }) => [id, incarnation])))
      }),
      { numRuns: 300 },
    )
  })
})

describe('View', () => {
  it("prefers the member's statement to that of others about the same end", () => {
    const observer = new Observer(alice.joined(), death(alice, [bob, carol]), alice.left())
    expect(observer.changes.map(({ type }) => type)).toEqual(['joined', 'died'])
    expect(observer.view.ending(alice.id)?.says).toBe('left')
    expect(observer.hear(death(alice, [bob])).view.ending(alice.id)?.says).toBe('left')
  })

  it('reports the end of an earlier life when a later one, or the end of a later one, comes first', () => {
    const later = new Observer(alice.joined(), alice.joined({ incarnation: 3 }))
    expect(later.changes.map(({ type, member }) => `${type} ${member.incarnation}`)).toEqual(['joined 1', 'died 1', 'joined 3'])
    const gone = new Observer(alice.joined(), alice.left(4))
    expect(gone.changes.map(({ type, member }) => `${type} ${member.incarnation}`)).toEqual(['joined 1', 'died 1'])
    expect(gone.view.known(alice.id)).toBe(4)
  })

  it('remembers a life that ended, but not as a member', () => {
    const observer = new Observer(alice.joined(), death(alice, [bob]))
    expect(observer.view.get(alice.id)).toBeUndefined()
    expect(observer.view.knows(alice.id)).toBe(true)
    expect(observer.view.knows(bob.id)).toBe(false)
  })

  it('stops sending an end before it forgets it, each at its time, counted from the beginning of the end', () => {
    const { lifetime } = config.tombstones
    const observer = new Observer()
    const { view, facts } = observer
    const age = 5_000
    const now = 1_000_000
    view.merge(read(death(alice, [bob])), now, age)
    const stopsTelling = now - age + lifetime * shareUntil
    const forgets = now - age + lifetime
    expect(observer.expiry).toBe(stopsTelling)
    view.tombstones.expire(stopsTelling - 1)
    expect(facts.ranges.count).toBe(1)
    view.tombstones.expire(stopsTelling)
    expect(facts.ranges.count).toBe(0)
    expect(view.hasEnded(alice.id, 1)).toBe(true)
    expect(view.merge(read(alice.joined()), 0, 0)).toEqual([])
    expect(observer.expiry).toBe(forgets)
    view.tombstones.expire(forgets - 1)
    expect(view.knows(alice.id)).toBe(true)
    view.tombstones.expire(forgets)
    expect(view.knows(alice.id)).toBe(false)
    expect(observer.expiry).toBe(Infinity)
  })

  it('counts the lowest age received for an end: a false one must not make it forgotten early', () => {
    const { lifetime } = config.tombstones
    const hour = 3_600_000
    const end = read(death(alice, [bob]))
    const observer = new Observer(alice.joined())
    const { view, facts } = observer
    const now = lifetime * 2
    view.merge(end, now, lifetime) // older than any honest node sends
    expect(view.merge(end, now, hour)).toEqual([])
    expect(facts.aged(end, now).ageSeconds).toBe(3_600)
    expect(observer.expiry).toBeLessThanOrEqual(now - hour + lifetime * shareUntil)
    view.tombstones.expire(now - hour + lifetime * shareUntil - 1)
    expect(facts.isSent(end)).toBe(true)
    view.tombstones.expire(now - hour + lifetime - 1)
    expect(view.hasEnded(alice.id, 1)).toBe(true)
    // Two scans are ten seconds apart.
    view.tombstones.expire(now - hour + lifetime + 10_000)
    expect(view.knows(alice.id)).toBe(false)
  })

  it('sends an end again that it had stopped sending, if a peer sends a lower age', () => {
    const { lifetime } = config.tombstones
    const end = read(death(alice, [bob]))
    const { view, facts } = new Observer(alice.joined())
    view.merge(end, 0, 0)
    view.tombstones.expire(lifetime * shareUntil)
    expect(facts.isSent(end)).toBe(false)
    view.merge(read(death(alice, [bob])), lifetime * shareUntil, 1_000)
    expect(facts.isSent(end)).toBe(true)
  })

  it('grows no younger by ages that differ as honest ones do, nor older by any', () => {
    const end = read(death(alice, [bob]))
    const { view, facts } = new Observer(alice.joined())
    const now = 10_000_000
    view.merge(end, now, 100_000)
    view.merge(end, now, 90_000)
    view.merge(end, now, 9_000_000)
    expect(facts.aged(end, now).ageSeconds).toBe(100)
  })

  it("takes the latest version of a member's statement of one life, whichever comes last", () => {
    const moved = [Uint8Array.of(4, 10, 0, 0, 1, 6, 0, 80)]
    const versions = [alice.joined(), alice.joined({ version: 2, addresses: moved }), alice.joined({ version: 3 })]
    const observer = new Observer(...versions.toReversed(), ...versions)
    expect(observer.changes.map(({ type }) => type)).toEqual(['joined'])
    const late = new Observer(versions[0] as Content, versions[1] as Content)
    expect(late.changes.map(({ type }) => type)).toEqual(['joined', 'updated'])
    expect(late.view.get(alice.id)?.addresses).toEqual(moved)
    expect(late.view.size).toBe(1)
    late.hear(alice.left())
    expect(late.hear(versions[2] as Content).changes.map(({ type }) => type)).toEqual(['joined', 'updated', 'left'])
  })

  it('keeps tombstones for longer than the memory of heals, plus the time in which they are not sent', () => {
    expect(config.tombstones.lifetime * shareUntil).toBeGreaterThan(config.healing.memory)
  })

  it('remembers at most as many ends as it may have members, and drops the oldest', () => {
    const small = makeConfig({ limits: { members: 3 } })
    const facts = new FactSet(new Registry())
    const view = new View(facts, small)
    people.slice(0, 5).forEach((actor, now) => view.merge(read(actor.left()), now, 0))
    expect(people.slice(0, 5).map(({ id }) => view.knows(id))).toEqual([false, false, true, true, true])
    expect(facts.ranges.count).toBe(3)
  })

  it('reports that it is full', () => {
    const facts = new FactSet(new Registry())
    const view = new View(facts, makeConfig({ limits: { members: 2 } }))
    view.merge(read(alice.joined()), 0, 0)
    expect(view.full).toBe(false)
    view.merge(read(bob.joined()), 0, 0)
    expect(view.full).toBe(true)
    view.merge(read(bob.left()), 0, 0)
    expect(view.full).toBe(false)
  })

  it('offers each member exactly once for random picks, whoever came and went', () => {
    fc.assert(
      fc.property(history, (items) => {
        const observer = new Observer()
        for (const item of items) {
          const { view } = observer.hear(contentOf(item))
          const picks = Array.from({ length: view.size }, (_, i) => view.at(i))
          expect(new Set(picks.map((pick) => pick?.id)).size).toBe(view.size)
          for (const pick of picks) expect(view.get(pick?.id ?? '')).toBe(pick)
          expect(view.at(view.size)).toBeUndefined()
          expect([...view.members()]).toEqual(picks)
        }
      }),
    )
  })

  it('forgets everything on request', () => {
    const observer = new Observer(alice.joined(), bob.left())
    const { view } = observer
    view.clear()
    expect([view.size, view.knows(alice.id), view.knows(bob.id), observer.expiry]).toEqual([0, false, false, Infinity])
  })
})
