import { NOTHING_SHARED, type MemberId, type Message, type Spawn } from '@jel/compute/internals'
import { describe, expect, it } from 'vitest'
import { VirtualGrid } from './grid.ts'
import type { GridMember } from './grid-member.ts'
import { bytesNumber, irregularTree, rootInput } from '../jobs/programs/trees.ts'

const LEAVES = 200
const program = irregularTree({ leaves: LEAVES, leafTime: 500, branching: 4, seed: 1 })

/** A member that answers each thief with this task. */
interface Forger {
  readonly path: string
  readonly input: Uint8Array
}

/** Returns the results of a job at six members, and of a seventh that forges tasks, if any. */
function results(votes: number, forger?: Forger): readonly unknown[] {
  const grid = new VirtualGrid({ seed: 1, program, latency: () => 0.5 })
  for (let member = 0; member < 6; member++) grid.join({ site: 's' })
  if (forger !== undefined) {
    const takes = (from: MemberId, message: Message): void => {
      const say = (answer: Message): void => liar.send(from, answer)
      if (message.type === 'lookup') say({ type: 'found', job: message.job, request: message.request, entries: [], claims: [], last: true })
      if (message.type === 'report') say({ type: 'noted', job: message.job, number: message.number })
      if (message.type !== 'steal' && message.type !== 'idle') return
      const tasks = [{ ...forger, job: 'job', fn: 'tree', replay: false, tries: 0 }]
      say({ type: 'work', request: message.request, tasks, left: 0, ended: [] })
    }
    const liar: GridMember = grid.join({ site: 's', takes })
  }
  grid.until(() => grid.living.every(({ view, takes }) => takes !== undefined || view.size === grid.living.length - 1), 60_000)
  grid.submit({ id: 'job', input: rootInput(LEAVES), votes })
  grid.until(() => grid.isDoneEverywhere('job') && grid.doneAt.has('job'), 600_000)
  const outcomes = grid.living.filter(({ takes }) => takes === undefined).map(({ ended }) => ended.get('job')?.outcome)
  return [...new Set(outcomes.map((each) => (each !== undefined && 'value' in each ? bytesNumber(each.value) : each)))]
}

describe('a member that hands out tasks with inputs of its own', () => {
  it('control: nobody lies', () => {
    expect(results(2)).toEqual([LEAVES])
  })

  it.each([1, 2, 3])('does not choose the result of a job with %i votes by the root', (votes) => {
    expect(results(votes, { path: '', input: rootInput(3) })).toEqual([LEAVES])
  })

  it.each([2, 3])('does not choose the result of a job with %i votes by a child', (votes) => {
    const [{ step }] = program('tree', rootInput(LEAVES), { shared: NOTHING_SHARED, split: false, speed: 1, rates: new Map() })
      .children as [Spawn]
    expect(results(votes, { path: step, input: new TextEncoder().encode('["r.0",1]') })).toEqual([LEAVES])
  })
})
