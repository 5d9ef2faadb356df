import { stepsOf, type Path } from '@jel/compute/virtual'

/** What is known below a task, by steps; true: all of it. */
type Branch = Map<string, Branch | true>

/** Paths that are covered: an entry for a task stands for everything below it. */
export class Coverage {
  #root: Branch | true = new Map()

  /** Whether this task, or one above it, is covered. */
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

  /** What is covered at or below a task, none of it below another. */
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
