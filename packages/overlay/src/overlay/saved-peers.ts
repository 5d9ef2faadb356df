import type { Reign } from '@jel/protocol'
import type { PoolMember } from '../api/view.ts'
import type { PeersFile } from '../identity/peers-file.ts'

/** Saves the members that this node met, and the epochs of elections, when they have changed. */
export class SavedPeers {
  readonly #file: PeersFile | undefined
  readonly #id: string
  readonly #members: () => readonly PoolMember[]
  #isChanged = false
  #saving: Promise<void> | undefined

  /** `id`: the id of this node. */
  constructor(file: PeersFile | undefined, id: string, members: () => readonly PoolMember[]) {
    this.#file = file
    this.#id = id
    this.#members = members
  }

  /** Settled when the file is written. */
  get saved(): Promise<void> | undefined {
    return this.#saving
  }

  /** Notes that members came, went or moved. */
  changed(): void {
    this.#isChanged = true
  }

  elected({ election, epoch, winner }: Reign): void {
    this.#file?.elected(election, epoch)
    this.#isChanged = true
    // Saved at once: others may remember the fencing token of this node's reign for ever.
    if (winner.id === this.#id) this.save()
  }

  saveChanges(): void {
    if (this.#isChanged) this.save()
  }

  save(): void {
    this.#isChanged = false
    const saving = this.#file?.save(this.#members().filter(({ id }) => id !== this.#id))
    this.#saving = saving?.then((isSaved) => void (this.#isChanged ||= !isSaved))
  }
}
