/** Sums up V8 processor profiles by package and by function: where a missed target spends its time. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  /** Microseconds since the previous sample. */
  readonly timeDeltas: readonly number[]
}

/** The package a script belongs to, by its folder. */
function packageOf(url: string): string {
  const installed = url.lastIndexOf('node_modules/')
  if (installed >= 0) return url.slice(installed + 'node_modules/'.length).match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? url
  if (url.startsWith('node:')) return url.replace(/^node:internal\/([^/]+).*/, 'node:$1')
  return /\/((?:packages|apps|scripts)\/[^/]+)\//.exec(url)?.[1] ?? (url === '' ? '(engine)' : url)
}

/** The text of a report over all `*.cpuprofile` files of a folder: self time by package, then by function. */
export async function summarizeProfiles(folder: string, top = 30): Promise<string> {
  const byPackage = new Map<string, number>()
  const byFunction = new Map<string, number>()
  let total = 0
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as Profile
    const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
    for (const [index, id] of profile.samples.entries()) {
      const frame = frames.get(id)
      const spent = (profile.timeDeltas[index] ?? 0) / 1000
      if (frame === undefined || frame.functionName === '(idle)' || frame.functionName === '(program)') continue
      const owner = packageOf(frame.url)
      const name = `${owner} ${frame.functionName || '(anonymous)'}:${frame.lineNumber + 1}`
      byPackage.set(owner, (byPackage.get(owner) ?? 0) + spent)
      byFunction.set(name, (byFunction.get(name) ?? 0) + spent)
      total += spent
    }
  }
  const list = (sums: Map<string, number>): string =>
    [...sums]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, top)
      .map(([name, spent]) => `${spent.toFixed(0).padStart(8)} ms ${((spent / total) * 100).toFixed(1).padStart(5)} %  ${name}`)
      .join('\n')
  return `processor time ${total.toFixed(0)} ms\n\nby package\n${list(byPackage)}\n\nby function\n${list(byFunction)}`
}
