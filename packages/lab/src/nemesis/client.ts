/** A client of one member. It calls at random, one operation at a time, until it is stopped. */
import type { ElectionInput, Reign } from '../linearizability/elections.ts'
import type { History, Outcome } from '../linearizability/history.ts'
import { reignIn, type Ask, type LedgerLine } from '../swarm/ledger-lines.ts'

/** The elections of a run. Few names make many conflicts. */
export const ELECTIONS = ['a', 'b', 'c']
/** Longest wait for an answer, ms: a node gives up after 10 s by itself. */
const ANSWER = 12_000
/** Longest pause between two operations, ms. Two cores carry seven clients at this pace. */
const PAUSE = 600
/** Errors that exclude an effect. */
const NO_EFFECT: ReadonlySet<string | undefined> = new Set(['LEDGER_BUSY', 'INVALID_EVENT', 'INVALID_OPTION'])

interface Clock {
  readonly sleep: (ms: number) => Promise<unknown>
  readonly random: () => number
}

export class Client {
  /** The id of the member. */
  readonly by: string
  readonly #ask: Ask
  readonly #history: History
  readonly #clock: Clock
  /** The elections in which the member may stand. */
  readonly standing = new Set<string>()
  /** Called at each acknowledgement that proves that the ledger has the member's present life. */
  readonly #acknowledged: () => void

  constructor(by: string, ask: Ask, history: History, clock: Clock, acknowledged: () => void = () => {}) {
    this.by = by
    this.#ask = ask
    this.#history = history
    this.#clock = clock
    this.#acknowledged = acknowledged
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#act()
      await this.#clock.sleep(PAUSE * this.#clock.random())
    }
  }

  /** Sends a message that nobody else sends. Returns its index. */
  async order(timeout = ANSWER): Promise<number | undefined> {
    const payload = `${this.by.slice(-6)}-${this.#history.orders.length}`
    const ended = this.#history.order(payload)
    const line = await this.#ask({ command: 'order', name: 'nemesis', payload: Buffer.from(payload).toString('base64') }, timeout)
    const outcome = outcomeOf(line, 'placed')
    ended(outcome, line?.index)
    if (outcome === 'acknowledged') this.#acknowledged()
    return outcome === 'acknowledged' ? line?.index : undefined
  }

  /** Returns undefined if there was no answer. */
  async confirm(election: string, timeout = ANSWER): Promise<{ readonly reign: Reign | undefined } | undefined> {
    const { outcome, reign } = await this.#election('confirm', election, timeout)
    return outcome === 'acknowledged' ? { reign } : undefined
  }

  async #act(): Promise<void> {
    const { random } = this.#clock
    const chance = random()
    const election = ELECTIONS[Math.floor(random() * ELECTIONS.length)] ?? 'a'
    if (chance < 0.4) await this.order()
    else if (chance < 0.7) await this.confirm(election)
    else if (this.standing.has(election)) await this.#withdraw(election)
    else await this.#elect(election)
  }

  async #elect(election: string): Promise<void> {
    // Without an answer it may stand, or stand later.
    this.standing.add(election)
    if ((await this.#election('elect', election)).outcome === 'acknowledged') this.#acknowledged()
  }

  async #withdraw(election: string): Promise<void> {
    if ((await this.#election('withdraw', election)).outcome === 'acknowledged') this.standing.delete(election)
  }

  async #election(type: ElectionInput['type'], election: string, timeout = ANSWER): Promise<Answer> {
    const ended = this.#history.election({ type, election, by: this.by })
    const line = await this.#ask({ command: type, election }, timeout)
    const outcome = outcomeOf(line, ANSWERS[type])
    const reign = outcome === 'acknowledged' && line !== undefined ? reignIn(line) : undefined
    ended(outcome, reign)
    return { outcome, reign }
  }
}

interface Answer {
  readonly outcome: Outcome
  readonly reign: Reign | undefined
}

/** The events that answer each operation. */
const ANSWERS = { elect: 'elected', confirm: 'confirmed', withdraw: 'done' } as const

function outcomeOf(line: LedgerLine | undefined, answer: string): Outcome {
  if (line?.event === answer) return 'acknowledged'
  return line?.event === 'error' && NO_EFFECT.has(line.code) ? 'refused' : 'unknown'
}
