import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Returns the files of the scenarios that come with the simulator, by name. */
export function shippedScenarios(): ReadonlyMap<string, string> {
  // The folder's place in a package, and in a bundle.
  const folder = ['../../scenarios/', './scenarios/'].map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url))
  const files = folder === undefined ? [] : readdirSync(folder).filter((file) => file.endsWith('.yaml'))
  return new Map(files.toSorted().map((file) => [file.slice(0, -'.yaml'.length), fileURLToPath(new URL(file, folder))]))
}
