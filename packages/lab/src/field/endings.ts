/**
 * Counts lives that ended, from the news that all contenders give. A member that enters again
 * begins a new life, and not all contenders number the lives.
 */
export class Endings {
  /** How often each observer reported the death of a member. */
  readonly #told = new Map<string, Map<object, number>>()

  note(observer: object, about: string): void {
    const observers = this.#told.get(about) ?? new Map<object, number>()
    this.#told.set(about, observers.set(observer, (observers.get(observer) ?? 0) + 1))
  }

  /** For each member, the largest number of deaths that one observer saw. */
  get count(): number {
    return [...this.#told.values()].reduce((sum, observers) => sum + Math.max(...observers.values()), 0)
  }
}
