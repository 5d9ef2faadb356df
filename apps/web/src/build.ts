/** Bundles the scripts of the page: `main.js` for the page, and `member.js` for the worker. */
import { fileURLToPath } from 'node:url'
import type { RolldownOptions } from 'rolldown'

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** The bundles of the page. Each is one file. */
export const webBundles = ['main', 'member'].map((name) => ({
  name,
  build: {
    input: { [name]: here(`${name}.ts`) },
    platform: 'browser',
    resolve: { conditionNames: ['browser', 'import', 'module', 'default'] },
  } satisfies RolldownOptions,
}))
