/**
 * The position of a task in the tree of its job. Each level adds a step: the hash of the task's
 * function, its input, and its index among equal siblings. A replay may spawn fewer children, since
 * a bound prunes some. The others keep their steps. Numbers in spawn order would change (Satin's
 * stamp and DIB's codes are vectors of such numbers).
 */
export type Path = string

/**
 * Characters of one step: 60 bits in base64url. Among the 65,536 children that a frame may have,
 * two collide by chance once in 2²⁹ frames.
 */
export const STEP_LENGTH = 10

/** The path of the submitted task. */
export const ROOT: Path = ''

/** Levels below the root. */
export const MAX_DEPTH = 256

export function depthOf(path: Path): number {
  return path.length / STEP_LENGTH
}

/** Yields the steps of a path from the root down. */
export function* stepsOf(path: Path): Generator<string> {
  for (let at = 0; at < path.length; at += STEP_LENGTH) yield path.slice(at, at + STEP_LENGTH)
}

/** Returns the fault of a path that a peer sent; undefined if there is none. */
export function pathProblem(path: string): string | undefined {
  if (path.length % STEP_LENGTH !== 0 || depthOf(path) > MAX_DEPTH) return `a path of ${path.length} characters`
  return /^[\w-]*$/u.test(path) ? undefined : 'a path of other characters than those of base64url'
}
