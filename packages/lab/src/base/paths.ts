/** Paths in this checkout. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../../../', import.meta.url)

/** The path of a file. `path`: relative to the root of the checkout. */
export function inCheckout(path: string): string {
  return fileURLToPath(new URL(path, root))
}

/** The entry of the command line `jel`. */
export const jelBin = inCheckout('apps/node/bin/jel.js')

/** The version of the command line `jel`. */
export function jelVersion(): string {
  return (JSON.parse(readFileSync(inCheckout('apps/node/package.json'), 'utf8')) as { version: string }).version
}

/**
 * The entry of the laboratory's command line, for experiments in separate processes or namespaces.
 */
export const labMain = inCheckout('packages/lab/src/main.ts')
