/**
 * Bundles the scripts of the page: `main.js` for the page, `member.js` for the worker, and
 * `volunteer.js`, which the worker loads in order to compute. `program.js` and `frame.js` are for
 * the frame of programs.
 */
import { fileURLToPath } from 'node:url'
import type { RolldownOptions } from 'rolldown'

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const browser = '../../../packages/compute/src/platform/browser'

const INPUTS = {
  main: './main.ts',
  member: './member.ts',
  volunteer: './volunteer.ts',
  frame: `${browser}/frame-main.ts`,
  program: `${browser}/worker-main.ts`,
}

/** Keeps `volunteer.js` out of the bundle of the member, because the member loads it on demand. */
const apart = {
  name: 'the rest apart',
  resolveId: (source: string) => (source === './volunteer.ts' ? { id: './volunteer.js', external: true } : undefined),
}

interface WebBundle {
  readonly name: string
  readonly format: 'es' | 'iife'
  readonly build: RolldownOptions & { readonly input: Readonly<Record<string, string>> }
}

/**
 * The bundles of the page. Each bundle is one file. A worker in a frame without an origin can't be
 * a module, so two bundles are plain scripts.
 */
export const webBundles: readonly WebBundle[] = Object.entries(INPUTS).map(([name, input]) => ({
  name,
  format: name === 'frame' || name === 'program' ? 'iife' : 'es',
  build: {
    input: { [name]: here(input) },
    platform: 'browser',
    plugins: name === 'member' ? [apart] : [],
    resolve: { conditionNames: ['browser', 'import', 'module', 'default'] },
  },
}))

/**
 * Returns the document of the frame of programs.
 *
 * @param program the script of a worker
 * @param frame the script of the frame
 */
export function frameDocument(program: string, frame: string): string {
  // The text `</script` in a script would end its element, so it is escaped.
  const text = JSON.stringify(`"use strict";${program}`).replaceAll('<', String.raw`\u003c`)
  return `<!doctype html><meta charset="utf-8"><title>programs</title><script>"use strict";const PROGRAM=${text};${frame.replaceAll('</script', String.raw`<\/script`)}</script>\n`
}
