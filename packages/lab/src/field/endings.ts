/**
 * Counts ended lives of members by the events that all contenders report. A member that enters
 * again begins a new life, and not all contenders number the lives.
 */
export class Endings {
  /** For each member, how often each observer reported its death. */
  readonly #told = new Map<string, Map<object, number>>()

  note(observer: object, about: string): void {
    const observers = this.#told.get(about) ?? new Map<object, number>()
    this.#told.set(about, observers.set(observer, (observers.get(observer) ?? 0) + 1))
  }

  /** The sum over all members of the largest number of deaths that one observer saw. */
  get count(): number {
    return [...this.#told.values()].reduce((sum, observers) => sum + Math.max(...observers.values()), 0)
  }
}
