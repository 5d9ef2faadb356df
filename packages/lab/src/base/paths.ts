/** Paths in this checkout. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../../../../', import.meta.url)

/** Path of a file, given from the root of the checkout. */
export function inCheckout(path: string): string {
  return fileURLToPath(new URL(path, root))
}

/** The command line of a node. */
export const jelBin = inCheckout('apps/node/bin/jel.js')

/** The version of that command line. */
export function jelVersion(): string {
  return (JSON.parse(readFileSync(inCheckout('apps/node/package.json'), 'utf8')) as { version: string }).version
}

/** This laboratory's own command line, for experiments in processes or namespaces of their own. */
export const labMain = inCheckout('packages/lab/src/main.ts')
