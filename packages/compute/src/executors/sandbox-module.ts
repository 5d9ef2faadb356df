import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

let made: Promise<string> | undefined

/**
 * The sandbox as one module that imports nothing but Node's own: its process may read no file, so it gets its code over its input. Made at the first call, in some 300 ms.
 */
export async function sandboxModule(): Promise<string> {
  made ??= make()
  return await made
}

async function make(): Promise<string> {
  // As source, compiled, or beside a bundle that holds this module.
  const entry = ['./sandbox.ts', './sandbox.js']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path)) as string
  const { rolldown } = await import('rolldown')
  const build = await rolldown({ input: entry, platform: 'node', logLevel: 'silent' })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false, comments: false })
  await build.close()
  return output[0].code
}
