/**
 * Identity files for the nodes of a scenario. The laboratory makes them in advance, because it must
 * know a node's id before the node starts.
 */
import { join } from 'node:path'
import { generateIdentity } from '@jel/overlay'
import { UnableError } from '../network/tools.ts'

/** Number of keys for each attacker. Attackers take the lowest ids. */
const HOSTILE_KEYS = 32

interface IdentityFile {
  readonly id: string
  readonly file: string
}

export class Identities {
  readonly #folder: string
  readonly #honest: IdentityFile[] = []
  /** Sorted by id, the lowest last. */
  #hostile: IdentityFile[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  async prepare(honest: number, attackers: number): Promise<void> {
    const make = async (name: string): Promise<IdentityFile> => {
      const file = join(this.#folder, `${name}.json`)
      return { file, id: await generateIdentity(file) }
    }
    for (let i = 0; i < honest; i++) this.#honest.push(await make(`${i}`))
    for (let i = 0; i < attackers * HOSTILE_KEYS; i++) this.#hostile.push(await make(`hostile-${i}`))
    this.#hostile = this.#hostile.toSorted((a, b) => (a.id < b.id ? 1 : -1))
  }

  /**
   * Takes an identity. `hostile`: takes the lowest id of the attackers' identities, so that the
   * attacker matters in elections.
   */
  take({ hostile = false } = {}): IdentityFile {
    const identity = hostile ? this.#hostile.pop() : this.#honest.shift()
    if (identity === undefined) throw new UnableError('no identity is left for one more node')
    return identity
  }
}
