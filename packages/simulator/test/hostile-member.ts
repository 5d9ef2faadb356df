import { ROOT, type JobId, type MemberId, type Message, type Path } from '@jel/compute/internals'
import type { GridMember } from '../src/grid/grid-member.ts'
import type { VirtualGrid } from '../src/grid/grid.ts'
import { numberBytes, rootInput } from '../src/jobs/programs/trees.ts'

/** Interval of its attacks, ms. */
const EVERY = 1000
/** The most paths that it names at a time. */
const MOST = 50

/**
 * A member that makes all attacks at once. It takes tasks and never gives them up, claims tasks of
 * others, reports wrong outcomes, names wrong holders, hands out invented tasks, and floods others
 * with jobs, requests and shared values.
 */
export class HostileMember {
  readonly member: GridMember
  readonly #grid: VirtualGrid
  readonly #job: JobId
  readonly #lies: boolean
  readonly #known = new Set<Path>([ROOT])
  #number = 0

  /** @param lies whether it also reports wrong outcomes */
  constructor(grid: VirtualGrid, site: string, job: JobId, lies: boolean) {
    this.#grid = grid
    this.#lies = lies
    this.#job = job
    this.member = grid.join({ site, takes: (from, message) => this.#take(from, message) })
  }

  /** Floods the pool with `jobs` jobs, then attacks until its victim is done. */
  start(jobs: number): void {
    const act = (): void => {
      if (this.#grid.isDoneEverywhere(this.#job)) return
      this.#act()
      this.#grid.after(EVERY, act)
    }
    // Starts once the other members know this member.
    this.#grid.after(EVERY, () => {
      for (let number = 0; number < jobs; number++)
        this.#grid.submit({ id: `flood${number}`, input: rootInput(500), owner: 'flood' }, this.member)
      act()
    })
  }

  #act(): void {
    const { id } = this.member
    const job = this.#job
    const paths = [...this.#known].slice(-MOST)
    const value = numberBytes(666)
    const votes = [{ by: id, leaf: true, signature: new TextEncoder().encode(id) }]
    const entries = (this.#lies ? paths : []).map((path) => ({ path, outcome: { value }, shared: new Map(), votes }))
    const tasks = paths.map((path) => ({ path, fn: 'tree', input: rootInput(50) }))
    const claims = tasks.map((task) => ({ ...task, age: 1e6, progress: 0.5, leaf: false, second: false }))
    for (const { id: to, takes } of this.#grid.living) {
      if (takes !== undefined) continue
      const says: readonly Message[] = [
        { type: 'steal', request: this.#number++, jobs: [job], count: 64 },
        { type: 'idle', request: this.#number++, jobs: [job] },
        {
          type: 'work',
          request: this.#number,
          tasks: tasks.map((task) => ({ ...task, job, replay: false, tries: 2 })),
          left: 99,
          ended: [],
        },
        { type: 'lifeline' },
        { type: 'report', job, number: this.#number++, entries, claims, dropped: [], work: { begun: 1e9, finished: 1e9, ran: 1e9 } },
        { type: 'result', job, entries },
        { type: 'unknown', job, paths },
        { type: 'moved', job, tasks: paths.map((path) => ({ path, holder: to })) },
        { type: 'lookup', job, request: this.#number++, paths: [...paths, ROOT] },
        { type: 'shared', job, shared: new Map([[`s${this.#number}`, { rule: 'min', key: -1, values: [value] }]]) },
        ...paths.map((path): Message => ({ type: 'yield', job, path, to: id })),
      ]
      for (const message of says) this.#say(to, message)
    }
  }

  #take(from: MemberId, message: Message): void {
    const { id } = this.member
    const say = (answer: Message): void => this.#say(from, answer)
    switch (message.type) {
      case 'steal':
      case 'idle':
        say({ type: 'work', request: message.request, tasks: [], left: 1000, ended: [], hint: id })
        return
      case 'work':
        for (const { path } of message.tasks) this.#known.add(path)
        return
      case 'awaiting':
        say({ type: 'holding', job: message.job, progress: message.paths.map((path) => [path, 0.5]) })
        return
      case 'lookup':
        for (const path of message.paths) this.#known.add(path)
        say({
          type: 'found',
          job: message.job,
          request: message.request,
          entries: [],
          claims: message.paths.map((path) => ({ path, holder: id })),
          last: true,
        })
        return
      case 'report':
        for (const { path } of message.claims) this.#known.add(path)
        say({ type: 'noted', job: message.job, number: message.number })
        return
      default:
    }
  }

  #say(to: MemberId, message: Message): void {
    this.member.send(to, message)
  }
}
