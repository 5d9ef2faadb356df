import { entryBytes, Scheduler, type MemberId, type Message, type Signer } from '@jel/compute/internals'
import type { Member, Milliseconds } from '@jel/protocol'
import { ComputeNode, type JobObserver } from '../jobs/compute-node.ts'
import { JobMessage } from '../jobs/job-message.ts'
import { stepOf } from '../jobs/programs/trees.ts'
import type { Payload } from '../network/payload.ts'
import type { OracleNode } from '../protocol/oracle-node.ts'
import type { SimulatedNode } from '../protocol/node.ts'
import type { GridMemberOptions, GridOptions } from './grid-options.ts'

/** The grid around a member. */
interface Surroundings extends JobObserver {
  readonly options: GridOptions
  readonly now: Milliseconds
  readonly random: () => number
  kill(member: GridMember): void
  /** Returns true if `to` takes messages of `from`. */
  passes(from: MemberId, to: GridMember): boolean
}

/** One member of a virtual grid. An oracle notifies it of the other members. */
export class GridMember extends ComputeNode<Scheduler> {
  declare readonly node: SimulatedNode<OracleNode>
  declare readonly site: string
  readonly accepts: boolean
  readonly takes: GridMemberOptions['takes']
  goneAt: Milliseconds | undefined
  readonly #grid: Surroundings

  /** @param random the random numbers of the member's scheduler */
  constructor(grid: Surroundings, node: SimulatedNode<OracleNode>, options: GridMemberOptions, random: () => number) {
    const { site, workers = 1, speed = 1, accepts = true, lies = false, isSick = false, isClient = false, takes } = options
    const { program, config = {}, tickets } = grid.options
    super(node, {
      location: node.protocol.self.location,
      site,
      workers,
      speed,
      lies,
      random,
      program,
      createScheduler: ({ self, ...rest }) => {
        const about = { ...self, isClient, computes: workers > 0 }
        const scheduler = new Scheduler({ ...rest, self: about, config, signer: signerOf(self.id), ...(tickets && { tickets }) })
        if (takes !== undefined)
          scheduler.handle = (input) => {
            if (input.type === 'message') takes(input.from, input.message)
            return []
          }
        return scheduler
      },
      observer: grid,
      today: () => grid.now,
    })
    this.#grid = grid
    this.isSick = isSick
    this.accepts = accepts
    this.takes = takes
    const { policy } = grid.options
    if (policy !== undefined) this.feed({ type: 'shares', policy })
  }

  get lives(): boolean {
    return this.goneAt === undefined
  }

  /** Ignores a job message that the grid does not let through. */
  override received(from: MemberId, data: Payload): void {
    if (!(data instanceof JobMessage) || this.#grid.passes(from, this)) super.received(from, data)
  }

  /** Estimates the size if the options name no sites. Encoding takes a tenth of a test's time. */
  protected override bytesOf(message: Message): number {
    if (this.#grid.options.sites !== undefined) return super.bytesOf(message)
    return 'entries' in message ? message.entries.reduce((sum, entry) => sum + entryBytes(entry), 100) : 100
  }

  /** Lets timers fire early by a fraction of a millisecond, as real timers do. */
  protected override earlier(after: Milliseconds): Milliseconds {
    return after > 1 ? this.#grid.random() / 2 : 0
  }

  protected override kindOf({ tag: [client, computes] }: Member): { readonly isClient: boolean; readonly computes: boolean } {
    return { isClient: client === 1, computes: computes === 1 }
  }

  protected override die(): void {
    this.#grid.kill(this)
  }
}

/** Returns a member's tag. Other members learn the member's role from it. */
export function tagOf({ isClient = false, workers = 1 }: GridMemberOptions): Uint8Array {
  return Uint8Array.of(isClient ? 1 : 0, workers > 0 ? 1 : 0)
}

/** A signature is the signer's name. No member signs with another member's name. */
function signerOf(id: MemberId): Signer {
  const name = (member: MemberId): Uint8Array => new TextEncoder().encode(member)
  return {
    sign: () => name(id),
    verify: (_job, _entry, { by, signature }) => new TextDecoder().decode(signature) === by,
    isGenuine: ({ path, fn, input }) => path.endsWith(stepOf(fn, input)),
  }
}
