import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'

const started: ChildProcess[] = []

/** Starts the bundled application. Returns a function that returns its output so far. */
function show(...args: readonly string[]): () => string {
  const process_ = spawn(process.execPath, [join(import.meta.dirname, '../window/bundle.ts'), ...args])
  started.push(process_)
  let text = ''
  process_.stdout.on('data', (data: Buffer) => (text += data.toString()))
  process_.stderr.on('data', (data: Buffer) => (text += data.toString()))
  return () => text
}

afterEach(() => {
  for (const each of started.splice(0)) each.kill()
})

it('the bundled application shows members that come and go', { timeout: 60_000 }, async () => {
  const first = show('window-test')
  const address = await vi.waitFor(() => /address (\S+)/u.exec(first())?.[1] ?? expect.fail(first()), 30_000)
  const second = show('window-test', address)
  await vi.waitFor(() => expect(second()).toMatch(/2 members/u), 20_000)
  await vi.waitFor(() => expect(first()).toMatch(/2 members/u), 10_000)
  const before = first().length
  started.pop()?.kill()
  await vi.waitFor(() => expect(first().slice(before)).toMatch(/1 members/u), 20_000)
})
