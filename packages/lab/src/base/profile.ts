/**
 * Sums up V8 processor profiles by package and by function. When a measurement misses its target,
 * the sums show the parts that take the time.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame; readonly children?: readonly number[] }[]
  readonly samples: readonly number[]
  /** Microseconds since the previous sample. */
  readonly timeDeltas: readonly number[]
}

/** Returns the package of a script, by its folder; undefined for scripts of Node and the engine. */
function packageOf(url: string): string | undefined {
  const installed = url.lastIndexOf('node_modules/')
  if (installed >= 0) return /^(@[^/]+\/)?[^/]+/.exec(url.slice(installed + 'node_modules/'.length))?.[0]
  return /\/((?:packages|apps|scripts)\/[^/]+)\//.exec(url)?.[1]
}

const nameOf = ({ functionName, lineNumber }: CallFrame): string => `${functionName || '(anonymous)'}:${lineNumber + 1}`

interface Place {
  readonly owner: string
  readonly name: string
}

/**
 * Returns the package and the function that the work is charged to. Work of Node and of the engine
 * is charged to the package that called them.
 */
function place(stack: readonly CallFrame[]): Place {
  const own = stack.findIndex(({ url }) => packageOf(url) !== undefined)
  const caller = stack[own]
  const owner = packageOf(caller?.url ?? '')
  const top = stack[0]
  if (caller === undefined || owner === undefined) return { owner: '(nobody)', name: top === undefined ? '' : nameOf(top) }
  return { owner, name: own === 0 || top === undefined ? nameOf(caller) : `${nameOf(caller)} → ${top.functionName || '(anonymous)'}` }
}

/** Returns the place of each node of the call tree, by its id. */
function places({ nodes }: Profile): Map<number, Place> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const stackOf = (id: number | undefined): CallFrame[] => {
    const frame = id === undefined ? undefined : frames.get(id)
    return id === undefined || frame === undefined ? [] : [frame, ...stackOf(parents.get(id))]
  }
  return new Map(nodes.map(({ id }) => [id, place(stackOf(id))]))
}

/** Maximum number of packages, and of functions, in a report. */
const TOP = 30

/** Returns a report on all `*.cpuprofile` files of a folder: time by package, then by function. */
export async function summarizeProfiles(folder: string): Promise<string> {
  const byPackage = new Map<string, number>()
  const byFunction = new Map<string, number>()
  let total = 0
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as Profile
    const where = places(profile)
    for (const [index, id] of profile.samples.entries()) {
      const { owner, name } = where.get(id) ?? { owner: '(nobody)', name: '' }
      if (/^\((idle|program)\)/.test(name)) continue
      const spent = (profile.timeDeltas[index] ?? 0) / 1000
      byPackage.set(owner, (byPackage.get(owner) ?? 0) + spent)
      byFunction.set(`${owner} ${name}`, (byFunction.get(`${owner} ${name}`) ?? 0) + spent)
      total += spent
    }
  }
  const list = (sums: ReadonlyMap<string, number>): string =>
    [...sums]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, TOP)
      .map(([name, spent]) => `${spent.toFixed(0).padStart(8)} ms ${((spent / total) * 100).toFixed(1).padStart(5)} %  ${name}`)
      .join('\n')
  return `processor time ${total.toFixed(0)} ms\n\nby package\n${list(byPackage)}\n\nby function\n${list(byFunction)}`
}
