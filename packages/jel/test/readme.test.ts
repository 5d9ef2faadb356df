import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { afterEach, expect, it } from 'vitest'

const example = /```js\n(import [\s\S]*?)```/u.exec(readFileSync(join(import.meta.dirname, '../README.md'), 'utf8'))?.[1] ?? ''
// The script is beside this package, so that its imports are found as in an application.
const script = join(import.meta.dirname, `readme-example-${process.pid}.js`)

const children: ChildProcessByStdio<null, Readable, Readable>[] = []

afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL')
  rmSync(script, { force: true })
})

interface Started {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly address: Promise<string>
  readonly ended: Promise<{ status: number | null; lines: string[] }>
}

function start(...bootstrap: string[]): Started {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...bootstrap], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  const lines: string[] = []
  const address = Promise.withResolvers<string>()
  const ended = Promise.withResolvers<{ status: number | null; lines: string[] }>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    if (line.startsWith('address ')) address.resolve(line.slice('address '.length))
  })
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
  child.on('close', (status) => {
    address.reject(new Error(lines.join('\n')))
    ended.resolve({ status, lines })
  })
  return { child, address: address.promise, ended: ended.promise }
}

it('the example of the README survives its master, in at most 40 lines', async () => {
  expect(example.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(40)
  // The same text, with one more line that marks the master.
  const watched = example.replace('const worker = lpStream(stream)', "$&\n  console.log('master')")
  expect(watched).not.toBe(example)
  writeFileSync(script, watched)

  const first = start()
  const others = [1, 2, 3].map(async () => start(await first.address))
  const nodes = [first, ...(await Promise.all(others))]
  await Promise.all(nodes.map(({ address }) => address))

  const master = await Promise.any(
    nodes.map(
      (node) =>
        new Promise<Started>((resolve) => {
          createInterface({ input: node.child.stdout }).on('line', (line) => line === 'master' && resolve(node))
        }),
    ),
  )
  await new Promise((resolve) => setTimeout(resolve, 200))
  master.child.kill('SIGKILL')
  const survivors = await Promise.all(nodes.filter((node) => node !== master).map(({ ended }) => ended))

  const sum = Array.from({ length: 40 }, (_, n) => n ** 2).reduce((sum, square) => sum + square)
  for (const { status, lines } of survivors) expect({ status, lines }).toMatchObject({ status: 0 })
  expect(survivors.flatMap(({ lines }) => lines)).toContain(`sum ${sum}`)
  expect(survivors.filter(({ lines }) => lines.includes('master')).length).toBeGreaterThanOrEqual(1)
}, 30_000)
