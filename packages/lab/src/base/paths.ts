/** Paths in this checkout. */
import { fileURLToPath } from 'node:url'

const root = new URL('../../../../', import.meta.url)

/** Path of a file, given from the root of the checkout. */
export function inCheckout(path: string): string {
  return fileURLToPath(new URL(path, root))
}

/** The command line of a node. */
export const jelBin = inCheckout('apps/node/bin/jel.js')

/** This laboratory's own command line, for experiments in processes or namespaces of their own. */
export const labMain = inCheckout('packages/lab/src/main.ts')
