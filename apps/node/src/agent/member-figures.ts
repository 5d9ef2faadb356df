/**
 * The figures of a member: its workers, memory and traffic. A member sends them on a stream of its
 * own when another member asks, so they cost nothing while nobody looks.
 */
import type { Pool, Stream } from '@jel/jel'
import { inBackground } from '../base/timers.ts'
import type { Agent } from './agent.ts'

/** The figures of one member at one moment. */
export interface MemberFigures {
  /** Number of its workers; 0 if it computes nothing. */
  readonly workers: number
  /** Number of its workers that run a task. */
  readonly busy: number
  /** Resident memory of its process, bytes. The processes of programs are extra. */
  readonly memory: number
  /** Bytes that it has sent and received over TCP since its start. */
  readonly traffic: number
}

const PROTOCOL = '/jel-node/figures/1'
const NAMES = ['workers', 'busy', 'memory', 'traffic'] as const
/** Maximum bytes of an answer. Four numbers take a hundred. */
const MAX_BYTES = 1024
/**
 * Time limit of an answer, with the dial, ms. The asker must end its side of the stream within the
 * same time. A request for a member's links has the same time.
 */
const TIMEOUT = 5_000
/**
 * Least time between two readings of a member's figures, ms. Each reading also lists the files of
 * its blobs. An open page asks each member every 10 s.
 */
const FRESH = 5_000
/** A member answers at most this many requests in that time, from all askers together. A guess. */
const ANSWERS = 100

/** Sends this node's figures to each member that asks. */
export async function answerFigures(agent: Agent): Promise<void> {
  let read: { readonly at: number; readonly figures: Promise<MemberFigures> } | undefined
  let answers = 0
  await agent.pool.handle(PROTOCOL, async (stream) => {
    // An asker has nothing to send. Its bytes would stay unread, and take memory.
    stream.addEventListener('message', () => stream.abort(new Error('a request for figures has no bytes')))
    const now = performance.now()
    if (read === undefined || now - read.at >= FRESH) {
      read = { at: now, figures: ownFigures(agent) }
      answers = 0
    }
    if (++answers > ANSWERS) throw new Error('asked too often')
    stream.send(new TextEncoder().encode(`${JSON.stringify(await read.figures)}\n`))
    // The stream keeps its connection until the asker ends its side, too.
    inBackground(setTimeout(() => stream.abort(new Error('the answer is given')), TIMEOUT))
    await stream.close()
  })
}

/** Returns the figures of this node. */
export async function ownFigures({ pool, grid }: Pick<Agent, 'pool' | 'grid'>): Promise<MemberFigures> {
  const { sent, received } = await pool.traffic()
  const { workers, busy } = grid === undefined ? { workers: 0, busy: 0 } : await grid.figures()
  return { workers, busy, memory: processFigures().memory, traffic: sent + received }
}

/**
 * Returns the resident memory of this process, bytes, and its processor time so far, seconds. A
 * browser tells neither: 0.
 */
export function processFigures(): { readonly memory: number; readonly processor: number } {
  const { memoryUsage, cpuUsage } = (globalThis as { process?: Partial<NodeJS.Process> }).process ?? {}
  const { user = 0, system = 0 } = cpuUsage?.() ?? {}
  return { memory: memoryUsage?.rss() ?? 0, processor: (user + system) / 1e6 }
}

/**
 * Asks a member for its figures.
 *
 * @throws UnknownMemberError, OpenError; Error if the answer takes too long, or has no figures
 */
export async function askFigures(pool: Pool, id: string): Promise<MemberFigures> {
  const signal = AbortSignal.timeout(TIMEOUT)
  const stream = await pool.open(id, PROTOCOL, { signal })
  const giveUp = (): void => stream.abort(new Error('no answer in time'))
  signal.addEventListener('abort', giveUp)
  try {
    return parseFigures(await readLine(stream))
  } finally {
    signal.removeEventListener('abort', giveUp)
    // A close would end only this side. The member could go on sending, and nobody would read it.
    stream.abort(new Error('the answer is read'))
  }
}

/** Parses an answer. Other fields, of a later release, are left out. */
export function parseFigures(text: string): MemberFigures {
  const parsed = JSON.parse(text) as Readonly<Record<string, unknown>> | null
  const values = NAMES.map((name) => parsed?.[name])
  if (!values.every((value) => Number.isSafeInteger(value) && (value as number) >= 0)) throw new Error('these are no figures')
  const [workers, busy, memory, traffic] = values as [number, number, number, number]
  return { workers, busy, memory, traffic }
}

/** Reads one line: a late listener gets no event for the end of a stream. */
async function readLine(stream: Stream): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of stream) {
    text += decoder.decode(piece.subarray(), { stream: true })
    if (text.length > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`)
    if (text.endsWith('\n')) return text
  }
  throw new Error('it ended before its answer did')
}
