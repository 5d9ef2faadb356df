/**
 * A ledger in one process, for tests of the clients and of the verdict. It can have planted bugs.
 */
import type { ElectionInput } from '../src/linearizability/elections.ts'
import type { Ask, LedgerLine } from '../src/swarm/ledger-lines.ts'
import { Told } from '../src/linearizability/told.ts'

export type Bug =
  | 'loses a message'
  | 'places a message twice'
  | 'tells a member less'
  | 'answers a confirm of the past'
  | 'lets two win'
  | 'lets a stranger win'
  | 'gives an index twice'

interface Reign {
  readonly epoch: number
  readonly winner: string
}

export class FakeLedger {
  readonly #random: () => number
  readonly #bug: Bug | undefined
  readonly #members = new Map<string, Told>()
  readonly #reigns = new Map<string, Reign>()
  readonly #candidates = new Map<string, string[]>()
  #index = 0

  constructor(random: () => number, bug?: Bug) {
    this.#random = random
    this.#bug = bug
  }

  get lives(): { readonly name: string; readonly told: Told }[] {
    return [...this.#members].map(([name, told]) => ({ name, told }))
  }

  get index(): number {
    return this.#index
  }

  enter(id: string): Ask {
    this.#members.set(id, new Told())
    return (command) => Promise.resolve(this.#answer(id, command as unknown as Asked))
  }

  /** A life ends, and so does its candidacy. */
  end(id: string): void {
    this.#members.delete(id)
    this.#index++
    for (const election of this.#candidates.keys()) this.#withdraw(election, id)
  }

  #answer(by: string, { command, election = '', payload = '' }: Asked): LedgerLine | undefined {
    const isLost = this.#random() < 0.05
    if (isLost && this.#random() < 0.5) return undefined
    const line = this.#carryOut(by, command, election, payload)
    return isLost ? undefined : line
  }

  #carryOut(by: string, command: Asked['command'], election: string, payload: string): LedgerLine {
    const time = 0
    if (command === 'order') {
      if (!this.#strikes('gives an index twice')) this.#index++
      const placed = { event: 'placed', time, index: this.#index }
      if (this.#strikes('loses a message')) return placed
      this.#tell({ event: 'ordered', time, index: this.#index, payload })
      if (this.#strikes('places a message twice')) this.#tell({ event: 'ordered', time, index: ++this.#index, payload })
      return placed
    }
    const before = this.#reigns.get(election)
    this.#index++
    if (command === 'elect') {
      const candidates = this.#candidates.get(election) ?? []
      if (!candidates.includes(by)) this.#candidates.set(election, [...candidates, by])
      this.#follow(election)
    } else if (command === 'withdraw') {
      this.#withdraw(election, by)
      return { event: 'done', time }
    }
    const reign = this.#reigns.get(election)
    if (command === 'elect') return { event: 'elected', time, election, epoch: reign?.epoch ?? 0, winner: { id: reign?.winner ?? '' } }
    if (this.#strikes('answers a confirm of the past') && before !== undefined)
      return { event: 'confirmed', time, election, epoch: before.epoch - 1, winner: { id: before.winner } }
    if (this.#strikes('lets two win') && before !== undefined)
      return { event: 'confirmed', time, election, epoch: before.epoch, winner: { id: by } }
    return { event: 'confirmed', time, election, ...shown(reign) }
  }

  #withdraw(election: string, by: string): void {
    this.#candidates.set(
      election,
      (this.#candidates.get(election) ?? []).filter((each) => each !== by),
    )
    if (this.#reigns.get(election)?.winner === by) this.#reigns.delete(election)
    this.#follow(election)
  }

  /** The first candidate reigns, if nobody does. */
  #follow(election: string): void {
    const [winner] = this.#candidates.get(election) ?? []
    if (winner === undefined || this.#reigns.has(election)) return
    const reign = { epoch: this.#index, winner: this.#strikes('lets a stranger win') ? 'stranger' : winner }
    this.#reigns.set(election, reign)
    this.#tell({ event: 'elected', time: 0, election, ...shown(reign) })
  }

  #tell(line: LedgerLine): void {
    for (const told of this.#members.values()) if (!this.#strikes('tells a member less')) told.note(line)
  }

  #strikes(bug: Bug): boolean {
    return this.#bug === bug && this.#random() < 0.1
  }
}

function shown(reign: Reign | undefined): Pick<LedgerLine, 'epoch' | 'winner'> {
  return reign === undefined ? { winner: null } : { epoch: reign.epoch, winner: { id: reign.winner } }
}

interface Asked {
  readonly command: ElectionInput['type'] | 'order'
  readonly election?: string
  readonly payload?: string
}
