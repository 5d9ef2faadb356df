/** A member that works and takes commands over its standard streams. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { jelBin } from '../base/paths.ts'
import { usageOfAll } from '../base/usage.ts'
import type { LabHost } from '../network/host.ts'
import type { LabNetwork } from '../network/network.ts'
import { startNode, type Line, type NodeProcess } from '../swarm/node-process.ts'

export interface MemberPlace {
  readonly network: LabNetwork
  readonly host: LabHost
  readonly pool: string
  readonly owner: string
  /** Its own folder, for its blobs. */
  readonly folder: string
  readonly diskMiB: number
  readonly bootstrap: readonly string[]
  readonly complain: (text: string) => void
}

export class Member {
  readonly node: NodeProcess
  readonly host: LabHost
  readonly #folder: string
  readonly #waiting: Map<number, (line: Line | undefined) => void>
  #asked = 0
  /** It had to end, or was killed. */
  isEnded = false

  private constructor(node: NodeProcess, host: LabHost, folder: string, waiting: Map<number, (line: Line | undefined) => void>) {
    this.node = node
    this.host = host
    this.#folder = folder
    this.#waiting = waiting
  }

  static async start(
    { network, host, pool, owner, folder, diskMiB, bootstrap, complain }: MemberPlace,
    ended: (member: Member, how: number | NodeJS.Signals | null) => void,
  ): Promise<Member> {
    const waiting = new Map<number, (line: Line | undefined) => void>()
    let member: Member | undefined
    const node = await startNode(
      {
        bin: jelBin,
        command: 'work',
        pool,
        within: network.within(host),
        env: { XDG_CACHE_HOME: folder },
        args: [
          '--listen',
          `/ip4/${host.address}/tcp/0`,
          '--workers',
          '1',
          '--owner',
          owner,
          '--limit',
          `disk=${diskMiB}`,
          '--no-control',
          ...bootstrap.flatMap((address) => ['--bootstrap', address]),
        ],
      },
      {
        line: (_, line) => {
          if (typeof line.re === 'number' && line.event !== 'needs-trust') waiting.get(line.re)?.(line)
        },
        complaint: (_, text) => complain(text),
        ended: (_, how) => {
          for (const answer of waiting.values()) answer(undefined)
          if (member !== undefined) ended(member, how)
        },
      },
    )
    return (member = new Member(node, host, folder, waiting))
  }

  /** Returns the first answer; undefined if there is none in this time, or the member is gone. */
  async ask(command: object, limit: number): Promise<Line | undefined> {
    const id = ++this.#asked
    const { promise, resolve } = Promise.withResolvers<Line | undefined>()
    const timer = setTimeout(() => resolve(undefined), limit)
    this.#waiting.set(id, resolve)
    this.node.child.stdin.write(`${JSON.stringify({ ...command, id })}\n`)
    const answer = this.isEnded ? undefined : await promise
    clearTimeout(timer)
    this.#waiting.delete(id)
    return answer
  }

  end(signal: 'SIGKILL' | 'SIGINT'): void {
    this.isEnded = true
    for (const answer of this.#waiting.values()) answer(undefined)
    this.node.child.kill(signal)
  }

  /** Bytes in memory and on its disk. */
  get memory(): number {
    return usageOfAll(this.node.child.pid === undefined ? [] : [this.node.child.pid]).memory
  }

  get disk(): number {
    return bytesOf(this.#folder)
  }
}

/** Counts a file with several names once. */
export function bytesOf(folder: string): number {
  const sizes = new Map<number, number>()
  try {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const status = entry.isFile() ? statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false }) : undefined
      if (status !== undefined) sizes.set(status.ino, status.size)
    }
  } catch {
    // A file went during the count.
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}
