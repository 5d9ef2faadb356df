/** One contender in one experiment. */
import { Simulation, type Machine, type Protocol, type SimulatedNode } from '@jel/simulator'
import { factoryOf, hasService, type Contender } from './contender.ts'
import { endOver, experiments, type Burst, type Experiment, type ExperimentName } from './experiment.ts'
import { PoolWatch } from './pool-watch.ts'

export interface TrialPlan {
  readonly experiment: ExperimentName
  readonly contender: Contender
  readonly seed: number
  /** Share of the nodes, for a quick look. */
  readonly scale: number
}

/** MB (10^6 bytes), sent and received, from the first start to the end of the last. */
export interface Megabytes {
  readonly mean: number
  /** Of the server; undefined where there is none that would be no member. */
  readonly service?: number
}

export interface TrialResult extends TrialPlan {
  readonly nodes: number
  /** As far as the figure shows: seconds, the average perceived pool size, and the true one. */
  readonly samples: readonly (readonly [time: number, perceived: number, present: number])[]
  /** When all knew all, for a second at least: from when to when. */
  readonly agreed: readonly (readonly [from: number, to: number])[]
  /** As the original counts: what is said, without TCP/IP and what else carries it. */
  readonly payload: Megabytes
  /** With all that carries it. */
  readonly wire: Megabytes
  /** On the wire, of that only what was received. */
  readonly received: Megabytes
  readonly events: number
  /** Processor time of the thread that ran this. */
  readonly cpuSeconds: number
}

/** Points of a curve. */
const points = 200
const second = 1_000
/** After the end of the experiment, for the news of it to arrive. */
const epilogue = 20
/** Seconds. */
const lasting = 1
/** A node of the baselines that is told to leave goes on until the server knows. */
const leaveFlush = 20_000

export function runTrial(plan: TrialPlan): TrialResult {
  const experiment = experiments.find(({ name }) => name === plan.experiment)
  if (experiment === undefined) throw new RangeError(`there is no experiment ${plan.experiment}`)
  return new Trial(plan, experiment).run()
}

class Trial {
  readonly #plan: TrialPlan
  readonly #experiment: Experiment
  readonly #simulation: Simulation<Protocol>
  readonly #watch: PoolWatch
  readonly #service: SimulatedNode | undefined
  readonly #members: SimulatedNode[] = []
  readonly #samples: [number, number, number][] = []
  readonly #agreed: [number, number][] = []

  constructor(plan: TrialPlan, experiment: Experiment) {
    this.#plan = plan
    this.#experiment = experiment
    const { topology, frontend } = experiment
    const withService = hasService(plan.contender)
    this.#simulation = new Simulation({
      seed: plan.seed,
      createProtocol: factoryOf(plan.contender),
      // Millions of them, and nobody would read them.
      keepNews: false,
      // The baselines make other promises than this project.
      checkPromises: !withService,
      ...(withService && { leaveFlush }),
      network: {
        topology,
        // TCP, then SmartSockets' own handshake, in plain text.
        ...(withService && { setupDelays: 4, setupBytes: { dialler: 100, listener: 100 } }),
      },
    })
    if (withService) {
      const machine = this.#simulation.createMachine({ bandwidth: { up: frontend, down: frontend } })
      this.#service = this.#simulation.spawn({ machine })
    }
    const total = experiment.bursts.reduce((sum, { nodes }) => sum + this.#count(nodes), 0)
    this.#watch = new PoolWatch(total)
    const offset = this.#service === undefined ? 0 : 1
    this.#simulation.subscribe((node, notification, time) => {
      if (node === this.#service) return
      this.#watch.told(node.index - offset, notification)
      this.#look(time)
    })
  }

  run(): TrialResult {
    const start = cpuSeconds()
    const { bursts, duration, shown } = this.#experiment
    for (const burst of bursts) this.#plant(burst)
    const step = (shown * second) / points
    for (let i = 0; i <= points; i++) {
      this.#runUntil(i * step)
      this.#samples.push([(i * step) / second, round(this.#watch.perceived), this.#watch.present])
    }
    const end = (duration + endOver + epilogue) * second
    while (this.#simulation.now < end) this.#runUntil(Math.min(end, this.#simulation.now + second))
    return {
      ...this.#plan,
      nodes: this.#members.length,
      samples: this.#samples,
      // While nodes come one by one all know all many times for moments.
      agreed: this.#agreed.filter(([from, to]) => to - from >= lasting).map(([from, to]) => [round(from), round(Math.min(to, duration))]),
      ...this.#traffic(),
      events: this.#simulation.events,
      cpuSeconds: round(cpuSeconds() - start),
    }
  }

  #runUntil(time: number): void {
    this.#simulation.run(time - this.#simulation.now)
  }

  #count(nodes: number): number {
    return Math.max(1, Math.round(nodes * this.#plan.scale))
  }

  #plant(burst: Burst): void {
    const { nodesPerMachine, machine: bandwidth, duration } = this.#experiment
    const simulation = this.#simulation
    const machines = new Map<string, Machine[]>()
    const count = this.#count(burst.nodes)
    for (let i = 0; i < count; i++) {
      const site = burst.sites[i % burst.sites.length] as string
      const place = Math.floor(i / burst.sites.length)
      const ofSite = machines.get(site) ?? []
      machines.set(site, ofSite)
      const number = Math.floor(place / nodesPerMachine)
      const machine = (ofSite[number] ??= simulation.createMachine({ site, bandwidth: { up: bandwidth, down: bandwidth } }))
      const introducer = this.#service ?? this.#members[0]
      // Without a service somebody has to be the first.
      const after = introducer === undefined ? 0 : (burst.from + simulation.random() * burst.over) * second
      const node = simulation.spawn({ machine, after, introducers: introducer === undefined ? [] : [introducer] })
      const member = this.#members.push(node) - 1
      this.#watch.name(member, node.id)
      simulation.after(after, () => this.#begin(member))
      this.#plantEnd(burst.until ?? duration, burst.until === undefined ? 'leave' : burst.end, member)
    }
  }

  #plantEnd(at: number, how: Burst['end'], member: number): void {
    const simulation = this.#simulation
    const node = this.#members[member] as SimulatedNode
    if (how === 'crash') {
      simulation.after(at * second, () => {
        this.#end(member)
        simulation.kill(node)
      })
    } else {
      simulation.after((at + simulation.random() * endOver) * second, () => {
        this.#end(member)
        simulation.leave(node)
      })
    }
  }

  #begin(member: number): void {
    this.#watch.starts(member)
    this.#look(this.#simulation.now)
  }

  #end(member: number): void {
    this.#watch.ends(member)
    this.#look(this.#simulation.now)
  }

  #look(now: number): void {
    const last = this.#agreed.at(-1)
    const agreeing = last?.[1] === Infinity
    if (this.#watch.allKnowAll === agreeing) return
    if (agreeing) last[1] = now / second
    else this.#agreed.push([now / second, Infinity])
  }

  #traffic(): Pick<TrialResult, 'payload' | 'wire' | 'received'> {
    const measure = (bytes: (node: SimulatedNode) => number): Megabytes => {
      const mean = round(this.#members.reduce((sum, node) => sum + bytes(node), 0) / this.#members.length / 1e6)
      return this.#service === undefined ? { mean } : { mean, service: round(bytes(this.#service) / 1e6) }
    }
    return {
      payload: measure(({ traffic }) => traffic.bytesSent + traffic.bytesReceived),
      wire: measure(({ traffic }) => traffic.sent.bytes + traffic.received.bytes),
      received: measure(({ traffic }) => traffic.received.bytes),
    }
  }
}

function cpuSeconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1e6
}

function round(value: number): number {
  return Math.round(value * second) / second
}
