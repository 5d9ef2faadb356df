import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The scenarios that come with the simulator: their files, by name. */
export function shippedScenarios(): ReadonlyMap<string, string> {
  // In a package, and in a bundle that has them beside it.
  const folder = ['../../scenarios/', './scenarios/'].map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url))
  const files = folder === undefined ? [] : readdirSync(folder).filter((file) => file.endsWith('.yaml'))
  return new Map(files.toSorted().map((file) => [file.slice(0, -'.yaml'.length), fileURLToPath(new URL(file, folder))]))
}
