import type { SwarmJob } from '@jel/conformance'
import { Scheduler, NOTHING_SHARED, type Entry } from '@jel/compute/internals'
import type { JelNode, SimulatedNode, Simulation } from '../src/index.ts'
import { ComputeNode } from '../src/jobs/compute-node.ts'
import { encodeJob, JOB_LIFETIME, recordName } from '../src/jobs/job-record.ts'
import type { VirtualProgram } from '../src/jobs/programs/program.ts'
import { bytesNumber, leaf, spawn, sum } from '../src/jobs/programs/trees.ts'

/** The program of the suite's jobs. The input of a task has its name, its tasks and their time. */
const program: VirtualProgram = (fn, input) => {
  const [name, tasks, time] = JSON.parse(new TextDecoder().decode(input)) as [string, number, number]
  if (tasks === 1) return leaf(time)
  const children = Array.from({ length: tasks }, (_, index) => spawn(fn, `${name}.${index}`, [1, time]))
  return { cost: 1, children, offers: NOTHING_SHARED, outcome: sum }
}

/** The jobs of one simulated node of the conformance suite. The node has one worker. */
export class NodeJobs {
  readonly #node: SimulatedNode<JelNode>
  readonly #today: () => number
  readonly #member: ComputeNode
  readonly #submitted = new Map<string, Parameters<typeof encodeJob>[0]>()
  readonly #ended = new Map<string, PromiseWithResolvers<number>>()

  constructor(simulation: Simulation<JelNode>, node: SimulatedNode<JelNode>, location: string) {
    this.#node = node
    this.#today = () => simulation.today
    this.#member = new ComputeNode(node, {
      location,
      site: undefined,
      workers: 1,
      speed: 1,
      lies: false,
      random: simulation.random,
      program,
      createScheduler: (options) => new Scheduler(options),
      observer: {
        took: () => {},
        did: (_, effect) => effect.type === 'ended' && this.#end(effect.job, effect.entry),
        ran: () => {},
      },
      today: this.#today,
    })
  }

  submit({ name, tasks, time }: SwarmJob): void {
    const input = new TextEncoder().encode(JSON.stringify(['root', tasks, time]))
    const job = { fn: name, input, submitted: Math.floor(this.#today()), votes: 1 }
    this.#submitted.set(name, job)
    this.#publish(name, job)
  }

  cancel(name: string): void {
    const job = this.#submitted.get(name)
    if (job === undefined) throw new Error(`this node submitted no job ${name}`)
    this.#publish(name, { ...job, desired: 'cancel' })
  }

  async result(name: string): Promise<number> {
    this.#member.feed({ type: 'watch', job: name })
    return await this.#endOf(name).promise
  }

  #publish(name: string, job: Parameters<typeof encodeJob>[0]): void {
    this.#node.command({ type: 'publish', name: recordName(name), value: encodeJob(job), lifetime: JOB_LIFETIME })
  }

  #end(name: string, entry: Entry | undefined): void {
    const end = this.#endOf(name)
    if (entry !== undefined && 'value' in entry.outcome) end.resolve(bytesNumber(entry.outcome.value))
    else end.reject(new Error(`the job ${name} has no result`))
  }

  #endOf(name: string): PromiseWithResolvers<number> {
    const known = this.#ended.get(name)
    if (known !== undefined) return known
    const end = Promise.withResolvers<number>()
    // Nobody may ask for it.
    end.promise.catch(() => {})
    this.#ended.set(name, end)
    return end
  }
}
