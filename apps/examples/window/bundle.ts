/**
 * Bundles the application, and runs it with the arguments. The libraries of jel need no settings of
 * a bundler but Node as the platform.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'esbuild'

const outdir = join(import.meta.dirname, 'dist')
await build({
  entryPoints: [join(import.meta.dirname, 'members.ts')],
  outdir,
  bundle: true,
  // Modules that are imported on demand become files of their own.
  splitting: true,
  platform: 'node',
  format: 'esm',
  logLevel: 'warning',
  define: { 'process.env.NODE_ENV': '"production"' },
  // Ink imports it on demand, for its own developers.
  external: ['react-devtools-core'],
  // Some dependencies are CommonJS, and `require` modules of Node.
  banner: { js: "import * as module from 'node:module'; const require = module.createRequire(import.meta.url)" },
})
const members = spawn(process.execPath, [join(outdir, 'members.js'), ...process.argv.slice(2)], { stdio: 'inherit' })
members.on('exit', (code) => (process.exitCode = code ?? 1))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => members.kill(signal))
