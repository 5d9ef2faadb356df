import type { Reign } from '@jel/protocol'
import type { PoolMember } from '../api/view.ts'
import type { PeersFile } from '../identity/peers-file.ts'

/**
 * Interval at which a node saves changed members, ms. Guess: a process that dies in its first
 * seconds has nothing to remember.
 */
export const peersInterval = 5_000

/** Saves the members that this node met, and the epochs of elections, when they have changed. */
export class SavedPeers {
  readonly #file: PeersFile | undefined
  readonly #id: string
  readonly #members: () => readonly PoolMember[]
  readonly #epochs: () => ReadonlyMap<string, number>
  #isChanged = false
  #saving: Promise<void> | undefined

  /** `id`: the id of this node. `epochs`: of the elections that this node remembers. */
  constructor(file: PeersFile | undefined, id: string, members: () => readonly PoolMember[], epochs: () => ReadonlyMap<string, number>) {
    this.#file = file
    this.#id = id
    this.#members = members
    this.#epochs = epochs
  }

  /** Settled when the file is written. */
  get saved(): Promise<void> | undefined {
    return this.#saving
  }

  /** Notes that members came, went or moved. */
  changed(): void {
    this.#isChanged = true
  }

  elected({ winner }: Reign): void {
    this.#isChanged = true
    // Saves at once: others may remember the fencing token of this node's reign for ever.
    if (winner.id === this.#id) this.save()
  }

  saveChanges(): void {
    if (this.#isChanged) this.save()
  }

  save(): void {
    this.#isChanged = false
    const others = this.#members().filter(({ id }) => id !== this.#id)
    const saving = this.#file?.save(others, this.#epochs())
    this.#saving = saving?.then((isSaved) => void (this.#isChanged ||= !isSaved))
  }
}
