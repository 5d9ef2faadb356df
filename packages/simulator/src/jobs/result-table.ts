import { stepsOf, type Path } from '@jel/compute/internals'

/** The tasks with results below a task, by steps. `true`: the task itself has a result. */
type Branch = Map<string, Branch | true>

/** The paths of tasks that have results. The result of a task counts for all tasks below it. */
export class ResultTable {
  #root: Branch | true = new Map()

  /** Returns true if this task or a task above it has a result. */
  has(path: Path): boolean {
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

  /** Returns the paths with results at or below a task. No returned path is below another. */
  *within(path: Path): Generator<Path> {
    let branch: Branch | true | undefined = this.#root
    for (const step of stepsOf(path)) branch = branch === true ? true : branch?.get(step)
    if (branch !== undefined) yield* pathsIn(path, branch)
  }
}

function* pathsIn(path: Path, branch: Branch | true): Generator<Path> {
  if (branch === true) yield path
  else for (const [step, next] of branch) yield* pathsIn(path + step, next)
}
