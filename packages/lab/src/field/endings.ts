/** Lives that ended, as far as all contenders tell: a member that enters again lives anew, and not all of them number its lives. */
export class Endings {
  /** How often each observer was told of the death of a member. */
  readonly #told = new Map<string, Map<object, number>>()

  note(observer: object, about: string): void {
    const observers = this.#told.get(about) ?? new Map<object, number>()
    this.#told.set(about, observers.set(observer, (observers.get(observer) ?? 0) + 1))
  }

  /** Of each member as many as some observer saw. */
  get count(): number {
    return [...this.#told.values()].reduce((sum, observers) => sum + Math.max(...observers.values()), 0)
  }
}
