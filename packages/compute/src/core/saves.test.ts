import { createRandom, hash52 } from '@jel/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { jobSpec } from '../../test/job-spec.ts'
import type { Effect, Input, JobSpec } from './io.ts'
import type { Claim, Message } from './messages.ts'
import { MAX_SAVES, type SavedTask } from './saved-state.ts'
import { Scheduler } from './scheduler.ts'
import { NOTHING_SHARED } from './shared-value.ts'

// A job whose first replica is this member.
const job = Array.from({ length: 100 }, (_, number) => `job${number}`).find((id) =>
  ['other', 'third'].every((member) => hash52(`${id} self`) > hash52(`${id} ${member}`)),
) as string
const spec = jobSpec(job)
const step = (name: string): string => name.repeat(10)
const [A, B] = [step('a'), step('b')]

let now: number
let scheduler: Scheduler

beforeEach(() => begin())

/** `savedBytes`: the room for the states of a job. */
function begin(savedBytes = 1000, workers = 1): void {
  now = 0
  scheduler = new Scheduler({ self: { id: 'self', location: 'self@here' }, workers, random: createRandom(1), config: { savedBytes } })
  for (const id of ['other', 'third']) feed({ type: 'joined', member: { id, location: `${id}@here` } })
}

function feed(input: Input, after = 0): Effect[] {
  now += after
  return scheduler.handle(input, now)
}

function sent<Type extends Message['type']>(effects: readonly Effect[], type: Type): Extract<Message, { type: Type }>[] {
  return effects.flatMap((effect) => (effect.type === 'send' && effect.message.type === type ? [effect.message] : [])) as never
}

function hear(message: Message, from = 'other'): Effect[] {
  return feed({ type: 'message', from, message })
}

/** The root runs here, and has called for these children. */
function spawn(names: readonly string[], about: Partial<JobSpec> = {}): void {
  feed({ type: 'job', spec: { ...spec, ...about } })
  feed({ type: 'spawned', job, path: '', children: names.map((name) => ({ step: step(name), fn: 'child', input: Uint8Array.of(2) })) })
}

function steal(by = 'other'): Extract<Message, { type: 'work' }> {
  return sent(feed({ type: 'message', from: by, message: { type: 'steal', request: 0, jobs: [job], count: 1 } }), 'work')[0] as never
}

const stateOf = (path: string, number: number, byte = number, size = 1): SavedTask => ({
  path,
  number,
  state: new Uint8Array(size).fill(byte),
})
const claimOf = (path: string): Claim => ({
  path,
  fn: 'child',
  input: Uint8Array.of(2),
  age: 0,
  progress: 0,
  leaf: true,
  second: false,
})

function report(
  from: string,
  saved: readonly SavedTask[],
  about: { claims?: readonly Claim[]; dropped?: readonly string[] } = {},
): Effect[] {
  const work = { begun: 1, finished: 0, ran: 0 }
  return hear({ type: 'report', job, number: 1, entries: [], claims: [], dropped: [], work, ...about, saved }, from)
}

/** The states of tasks that this member gives to a replica that looks them up. */
function known(path = ''): readonly SavedTask[] {
  const found = sent(hear({ type: 'lookup', job, request: 7, paths: [path], page: 0 }, 'third'), 'found')
  return found.flatMap(({ saved = [] }) => saved)
}

/** The state with which a task begins here. */
function runWith(effects: readonly Effect[], path: string): Uint8Array | undefined {
  const run = effects.find((effect) => effect.type === 'run' && effect.task.path === path)
  expect(run).toBeDefined()
  return run?.type === 'run' ? run.saved : undefined
}

/** Both replicas answer a lookup. */
function answered(saved: readonly SavedTask[] = []): Effect[] {
  const lookups = feed({ type: 'timer' }, 400).flatMap((effect) =>
    effect.type === 'send' && effect.message.type === 'lookup' ? [{ to: effect.to, request: effect.message.request }] : [],
  )
  expect(lookups.length).toBeGreaterThan(0)
  return lookups.flatMap(({ to, request }) => hear({ type: 'found', job, request, entries: [], claims: [], last: true, saved }, to))
}

describe('a task that saved', () => {
  it('tells replicas its latest state, once in a report', () => {
    spawn(['a'])
    feed({ type: 'idle', slot: 0, seen: 1 })
    feed({ type: 'timer' }, 2000)
    for (const to of ['other', 'third']) hear({ type: 'noted', job, number: 1 }, to)
    for (const byte of [4, 5, 6]) feed({ type: 'saved', job, path: A, state: Uint8Array.of(byte) })
    const reports = sent(feed({ type: 'timer' }, 2000), 'report')
    expect(reports.map(({ saved }) => saved)).toEqual([[stateOf(A, 3, 6)], [stateOf(A, 3, 6)]])
  })

  it('tells a new replica its state, too, once that has its claim', () => {
    feed({ type: 'job', spec })
    feed({ type: 'timer' }, 1000)
    for (const to of ['other', 'third']) hear({ type: 'noted', job, number: 1 }, to)
    feed({ type: 'saved', job, path: '', state: Uint8Array.of(4) })
    expect(sent(feed({ type: 'timer' }, 1000), 'report')).toHaveLength(2)
    for (const to of ['other', 'third']) hear({ type: 'noted', job, number: 2 }, to)
    feed({ type: 'gone', id: 'third' })
    const first = [...feed({ type: 'joined', member: { id: 'fourth', location: 'fourth@here' } }), ...feed({ type: 'timer' }, 1000)]
    expect(sent(first, 'report').flatMap(({ claims }) => claims.map(({ path }) => path))).toEqual([''])
    hear({ type: 'noted', job, number: 1 }, 'fourth')
    const later = feed({ type: 'timer' }, 1000).flatMap((effect) =>
      effect.type === 'send' && effect.to === 'fourth' ? [effect.message] : [],
    )
    expect(later).toEqual([expect.objectContaining({ type: 'report', saved: [stateOf('', 1, 4)] })])
  })

  it('tells replicas one of many states, and then one that came after the report', () => {
    feed({ type: 'job', spec })
    feed({ type: 'timer' }, 1000)
    for (const to of ['other', 'third']) hear({ type: 'noted', job, number: 1 }, to)
    for (let byte = 0; byte < 100; byte++) feed({ type: 'saved', job, path: '', state: Uint8Array.of(byte) })
    expect(sent(feed({ type: 'timer' }, 1000), 'report').map(({ saved }) => saved)).toEqual([
      [stateOf('', 100, 99)],
      [stateOf('', 100, 99)],
    ])
    // This state came after the report, so it is news again.
    feed({ type: 'saved', job, path: '', state: Uint8Array.of(7) })
    for (const to of ['other', 'third']) hear({ type: 'noted', job, number: 2 }, to)
    expect(sent(feed({ type: 'timer' }, 1000), 'report').map(({ saved }) => saved)).toEqual([[stateOf('', 101, 7)], [stateOf('', 101, 7)]])
  })

  it('tells replicas outcomes before states, and the states that have no room in the next report', () => {
    begin(2 ** 22, 3)
    spawn(['a', 'b'])
    feed({ type: 'timer' }, 1000)
    for (const to of ['other', 'third']) hear({ type: 'noted', job, number: 1 }, to)
    for (const path of ['', B]) feed({ type: 'saved', job, path, state: new Uint8Array(600_000) })
    feed({ type: 'returned', job, path: A, outcome: { value: Uint8Array.of(9) }, shared: NOTHING_SHARED, ran: 100 })
    const next = (): unknown =>
      feed({ type: 'timer' }, 1000).flatMap((effect) =>
        effect.type === 'send' && effect.message.type === 'report' && effect.to === 'third'
          ? [[effect.message.entries.map(({ path }) => path), effect.message.saved?.map(({ path }) => path)]]
          : [],
      )
    expect(next()).toEqual([[[A], ['']]])
    hear({ type: 'noted', job, number: 2 }, 'third')
    expect(next()).toEqual([[[], [B]]])
    hear({ type: 'noted', job, number: 3 }, 'third')
    expect(next()).toEqual([])
  })

  it('tells replicas a state again that was lost with its report', () => {
    feed({ type: 'job', spec })
    feed({ type: 'timer' }, 1000)
    for (const to of ['other', 'third']) hear({ type: 'noted', job, number: 1 }, to)
    feed({ type: 'saved', job, path: '', state: Uint8Array.of(4) })
    expect(sent(feed({ type: 'timer' }, 1000), 'report')).toHaveLength(2)
    hear({ type: 'noted', job, number: 2 }, 'third')
    const later = Array.from({ length: 10 }, () => feed({ type: 'timer' }, 1000)).flat()
    const again = later.flatMap((effect) => (effect.type === 'send' && effect.message.type === 'report' ? [effect] : []))
    expect(again[0]).toMatchObject({ to: 'other', message: { saved: [stateOf('', 1, 4)] } })
    expect(again.filter(({ to, message }) => to === 'third' && 'saved' in message)).toEqual([])
  })

  it('keeps the state of its first holder if a second one is behind', () => {
    spawn(['a', 'b'])
    steal()
    report('other', [stateOf(A, 9)], { claims: [claimOf(A)] })
    report('third', [stateOf(A, 4)], { claims: [{ ...claimOf(A), second: true }] })
    expect(known()).toEqual([stateOf(A, 9)])
    report('third', [stateOf(A, 10)])
    expect(known()).toEqual([stateOf(A, 10)])
  })

  it('begins with its state at the thief that takes it', () => {
    spawn(['a', 'b'])
    report('third', [stateOf(A, 5)], { claims: [claimOf(A)] })
    report('third', [], { dropped: [A] })
    expect(steal().tasks).toEqual([expect.objectContaining({ path: A, saved: { number: 5, state: Uint8Array.of(5) } })])
  })

  it('begins here with the state of its victim', () => {
    // A job whose first replica is another member.
    const id = ['x', 'y', 'z']
      .flatMap((name) => [1, 2, 3].map((number) => name + number))
      .find((each) => hash52(`${each} self`) < hash52(`${each} other`)) as string
    const steals = feed({ type: 'job', spec: { ...spec, id } }).flatMap((effect) =>
      effect.type === 'send' && effect.message.type === 'steal' ? [{ to: effect.to, request: effect.message.request }] : [],
    )
    const [{ to, request }] = steals as [{ to: string; request: number }]
    const { path, number, state } = stateOf(A, 9)
    const task = { job: id, path, fn: 'child', input: Uint8Array.of(2), replay: false, tries: 0, saved: { number, state } }
    const effects = hear({ type: 'work', request, tasks: [task], left: 0, ended: [] }, to)
    expect(runWith(effects, A)).toEqual(state)
    // The state is no part of the task.
    const claims = sent(feed({ type: 'timer' }, 2000), 'report').flatMap((each) => each.claims)
    expect(claims.filter((claim) => claim.path === A)[0]).not.toHaveProperty('saved')
  })

  it('begins with the state that a replica knows once its holder is dead', () => {
    spawn(['a'])
    steal()
    feed({ type: 'gone', id: 'other' }, 1000)
    const effects = answered([stateOf(A, 4)])
    expect(runWith([...effects, ...feed({ type: 'idle', slot: 0, seen: 1 })], A)).toEqual(Uint8Array.of(4))
  })

  it('begins with the latest of the states that replicas know', () => {
    spawn(['a'])
    steal()
    report('other', [stateOf(A, 3)], { claims: [claimOf(A)] })
    feed({ type: 'gone', id: 'other' }, 1000)
    const effects = answered([stateOf(A, 2)])
    expect(runWith([...effects, ...feed({ type: 'idle', slot: 0, seen: 1 })], A)).toEqual(Uint8Array.of(3))
  })

  it('goes on here after its container crashed', () => {
    spawn(['a'])
    feed({ type: 'idle', slot: 0, seen: 1 })
    feed({ type: 'saved', job, path: A, state: Uint8Array.of(8) })
    const effects = feed({ type: 'crashed', slot: 0, job, path: A, reason: 'it is gone' })
    expect(runWith(effects, A)).toEqual(Uint8Array.of(8))
  })

  it('goes back with its last state from a member that leaves', () => {
    spawn(['a', 'b'])
    steal()
    // The other member holds a task, so it may say what the tasks below it saved.
    const below = A + step('x')
    hear({ type: 'unknown', job, paths: [A], saved: [stateOf(A, 6), stateOf(below, 2)] })
    expect(known().map(({ path, number }) => [path, number])).toEqual([
      [A, 6],
      [below, 2],
    ])
  })

  it('forgets its state once it has an outcome', () => {
    spawn(['a'])
    steal()
    report('other', [stateOf(A, 3), stateOf(A + step('x'), 1)], { claims: [claimOf(A)] })
    expect(known()).toHaveLength(2)
    hear({ type: 'result', job, entries: [{ path: A, outcome: { value: Uint8Array.of(9) }, shared: NOTHING_SHARED }] })
    expect(known()).toEqual([])
  })
})

describe('a member that leaves', () => {
  it('begins no more tasks, still gives some away, and returns the last states', () => {
    feed({ type: 'job', spec })
    // This member holds the root, and the other one waits for it.
    hear({ type: 'awaiting', job, paths: [''] })
    feed({ type: 'timer' }, 1000)
    for (const to of ['other', 'third']) hear({ type: 'noted', job, number: 1 }, to)
    feed({ type: 'saved', job, path: '', state: Uint8Array.of(1) })
    // A report is on its way, and nobody has acknowledged it.
    expect(sent(feed({ type: 'timer' }, 1000), 'report')).toHaveLength(2)
    feed({ type: 'stop' })
    feed({
      type: 'spawned',
      job,
      path: '',
      children: ['a', 'b'].map((name) => ({ step: step(name), fn: 'child', input: Uint8Array.of(2) })),
    })
    expect(feed({ type: 'idle', slot: 0, seen: 1 }).map(({ type }) => type)).not.toContain('run')
    expect(steal('third').tasks.map(({ path }) => path)).toEqual([A])
    feed({ type: 'saved', job, path: '', state: Uint8Array.of(2) })
    const effects = feed({ type: 'leave' })
    expect(sent(effects, 'unknown')).toEqual([{ type: 'unknown', job, paths: [''], saved: [stateOf('', 2)] }])
    const [{ saved, dropped }] = sent(effects, 'report') as [Extract<Message, { type: 'report' }>]
    expect([saved, dropped]).toEqual([[stateOf('', 2)], ['']])
  })
})

describe('a member that leaves and gave a task away', () => {
  it('does not return its earlier state of that task', () => {
    begin(1000, 2)
    spawn(['a'])
    hear({ type: 'awaiting', job, paths: [''] }, 'third')
    feed({ type: 'timer' })
    for (const path of ['', A]) feed({ type: 'saved', job, path, state: Uint8Array.of(5) })
    feed({ type: 'stop' })
    feed({ type: 'crashed', slot: 1, job, path: A, reason: 'it is gone' })
    expect(steal().tasks).toEqual([expect.objectContaining({ path: A, saved: { number: 1, state: Uint8Array.of(5) } })])
    expect(sent(feed({ type: 'leave' }), 'unknown').flatMap(({ saved = [] }) => saved.map(({ path }) => path))).toEqual([''])
  })
})

describe('a state of a task', () => {
  it('does not replace a later one if its sender holds only a task above', () => {
    spawn(['a', 'b'])
    steal()
    const below = A + step('c')
    report('other', [stateOf(below, 5)], { claims: [claimOf(A)] })
    report('third', [stateOf(below, 40)], { claims: [claimOf(below)] })
    report('other', [stateOf(below, 7)])
    expect(known()).toEqual([stateOf(below, 40)])
    report('other', [stateOf(below, 41)])
    expect(known()).toEqual([stateOf(below, 41)])
    report('third', [stateOf(below, 42)])
    hear({ type: 'unknown', job, paths: [A], saved: [stateOf(below, 6)] })
    expect(known()).toEqual([stateOf(below, 42)])
  })

  it('has room beside the states of a member that states many', () => {
    begin(100)
    spawn(['a', 'b'])
    steal()
    const far = step('f')
    const many = Array.from({ length: 10 }, (_, at) => stateOf(far + step(String(at)), 1, 1, 10))
    report('third', many, { claims: [claimOf(far)] })
    expect(known()).toHaveLength(10)
    report('other', [stateOf(A, 1, 1, 25)], { claims: [claimOf(A)] })
    expect(known(A)).toEqual([stateOf(A, 1, 1, 25)])
    expect(known()).toHaveLength(8)
    // The member that states the most gets no room of others.
    report('third', [stateOf(far + step('x'), 1, 1, 10)])
    expect(known(far + step('x'))).toEqual([])
    expect(known(A)).toHaveLength(1)
  })

  it('has room at its own member, whatever others state', () => {
    begin(100)
    spawn(['a', 'b'])
    steal()
    report('other', [stateOf(A, 1, 1, 100)], { claims: [claimOf(A)] })
    for (const size of [50, 200]) {
      feed({ type: 'saved', job, path: '', state: new Uint8Array(size) })
      expect(known().map(({ path, state }) => [path, state.length])).toEqual([['', size]])
    }
  })

  it.each<readonly [string, () => void]>([
    ['that its sender does not hold', () => report('third', [stateOf(A, 9)])],
    [
      'that its sender gave up before',
      () => [report('third', [], { claims: [claimOf(A)] }), report('third', [], { dropped: [A] }), report('third', [stateOf(A, 9)])],
    ],
    ['beside a task that its sender holds', () => report('third', [stateOf(B, 9)], { claims: [claimOf(A)] })],
    ['above a task that its sender holds', () => report('third', [stateOf(A, 9)], { claims: [claimOf(A + step('x'))] })],
    ['that another member gives back', () => hear({ type: 'unknown', job, paths: [], saved: [stateOf(A, 9)] }, 'third')],
    [
      'that nobody looked up',
      () => hear({ type: 'found', job, request: 3, entries: [], claims: [], last: true, saved: [stateOf(A, 9)] }, 'third'),
    ],
  ])('%s is refused', (_, forge) => {
    spawn(['a', 'b'])
    steal()
    forge()
    expect(known()).toEqual([])
  })

  it('is refused beyond the room of its job, and the earlier state stays', () => {
    begin(10)
    spawn(['a', 'b'])
    steal()
    const claims = [claimOf(A)]
    expect(report('other', [stateOf(A, 1, 1, 8)], { claims }).filter(({ type }) => type === 'warning')).toEqual([])
    const warnings = [2, 3].flatMap((number) =>
      report('other', [stateOf(A, number, number, 11)], { claims }).filter(({ type }) => type === 'warning'),
    )
    expect(warnings).toEqual([expect.objectContaining({ code: 'SAVED_STATES_FULL' })])
    expect(known()).toEqual([stateOf(A, 1, 1, 8)])
    // A smaller one has room.
    report('other', [stateOf(A, 4, 4, 2)], { claims })
    expect(known()).toEqual([stateOf(A, 4, 4, 2)])
  })

  it('with a false number does not keep out the states of the next holder', () => {
    spawn(['a', 'b'])
    steal()
    report('other', [stateOf(A, MAX_SAVES)], { claims: [claimOf(A)] })
    report('third', [stateOf(A, 7)], { claims: [claimOf(A)] })
    report('third', [stateOf(A, 8)])
    expect(known()).toEqual([stateOf(A, 8)])
  })

  it('with the highest number does not keep out the later states of a holder that learned that number', () => {
    spawn(['a', 'b'])
    steal()
    report('other', [stateOf(A, MAX_SAVES, 1)], { claims: [claimOf(A)] })
    report('third', [stateOf(A, MAX_SAVES, 2)], { claims: [claimOf(A)] })
    report('third', [stateOf(A, MAX_SAVES, 3)])
    expect(known()).toEqual([stateOf(A, MAX_SAVES, 3)])
  })

  it('stays at its member where members vote', () => {
    spawn(['a'], { votes: 2 })
    feed({ type: 'saved', job, path: '', state: Uint8Array.of(1) })
    report('other', [stateOf(A, 5)], { claims: [claimOf(A)] })
    expect(known()).toEqual([])
    expect(runWith(feed({ type: 'idle', slot: 0, seen: 1 }), A)).toBeUndefined()
    expect(sent(feed({ type: 'timer' }, 2000), 'report').map(({ saved }) => saved)).not.toContainEqual(expect.anything())
  })

  it('goes with its job if that is cancelled', () => {
    spawn(['a'])
    feed({ type: 'saved', job, path: '', state: new Uint8Array(600) })
    expect(known()).toHaveLength(1)
    feed({ type: 'job', spec: { ...spec, desired: 'cancel' } })
    for (const from of ['other', 'third', 'self']) hear({ type: 'unknown', job, paths: [''] }, from)
    feed({ type: 'timer' }, 10_000)
    expect(scheduler.ended(job)).toBe('cancelled')
    expect(known()).toEqual([])
  })

  it('of a frame that does not run here is ignored', () => {
    spawn(['a'])
    feed({ type: 'saved', job, path: A, state: Uint8Array.of(1) })
    expect(known()).toEqual([])
  })
})
