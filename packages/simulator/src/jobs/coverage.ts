import { stepsOf, type Path } from '@jel/compute/internals'

/** The coverage below a task, by steps. True: all of it. */
type Branch = Map<string, Branch | true>

/** The set of covered paths. An entry for a task stands for everything below it. */
export class Coverage {
  #root: Branch | true = new Map()

  /** Returns whether this task, or one above it, is covered. */
  covers(path: Path): boolean {
    let branch: Branch | true | undefined = this.#root
    for (const step of stepsOf(path)) {
      if (branch === true) return true
      branch = branch.get(step)
      if (branch === undefined) return false
    }
    return branch === true
  }

  add(path: Path): void {
    const steps = [...stepsOf(path)]
    const last = steps.pop()
    if (last === undefined) {
      this.#root = true
      return
    }
    if (this.#root === true) return
    let branch = this.#root
    for (const step of steps) {
      let next = branch.get(step)
      if (next === true) return
      if (next === undefined) branch.set(step, (next = new Map()))
      branch = next
    }
    branch.set(last, true)
  }

  /** Returns the covered paths at or below a task, none of them below another. */
  *within(path: Path): Generator<Path> {
    let branch: Branch | true | undefined = this.#root
    for (const step of stepsOf(path)) branch = branch === true ? true : branch?.get(step)
    if (branch !== undefined) yield* covered(path, branch)
  }
}

function* covered(path: Path, branch: Branch | true): Generator<Path> {
  if (branch === true) yield path
  else for (const [step, next] of branch) yield* covered(path + step, next)
}
