import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { afterAll, afterEach, expect } from 'vitest'
import type { NodeEvent } from '../src/events/events.ts'

export const script = join(import.meta.dirname, '../bin/jel.js')
/** The folder of these processes' control sockets. */
export const runtime = mkdtempSync(join(tmpdir(), 'jel-'))
afterAll(() => rmSync(runtime, { recursive: true, force: true }))

export const loopback = ['--listen', '/ip4/127.0.0.1/tcp/0']

/** An event as a line of standard output. */
export type Told = NodeEvent & { readonly time: number; readonly pool: string }
export type Kind<K extends NodeEvent['event']> = Told & { readonly event: K }

/** The processes of this test that still run. */
const running = new Set<ChildProcess>()

afterEach(killAll)

/** Ends the processes of this test. Returns when they no longer write anything. */
async function killAll(): Promise<void> {
  const ended = [...running].map(async (child) => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  running.clear()
  await Promise.all(ended)
}

/**
 * Removes a folder of this test after its processes have ended. A child of a killed process may
 * write for a moment more.
 */
export async function removeFolder(folder: string): Promise<void> {
  await killAll()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

/** A `jel` process. Tests read its output, and wait for more. */
export class JelProcess {
  readonly lines: string[] = []
  readonly exited: Promise<number | NodeJS.Signals>
  stderr = ''
  readonly child: ChildProcess
  readonly #watchers = new Set<() => void>()

  /**
   * `file` is the started file, by default `bin/jel.js` of this checkout. `env` adds to this
   * process's environment.
   */
  constructor(args: readonly string[], stdin: 'pipe' | 'ignore' = 'pipe', file = script, env: NodeJS.ProcessEnv = {}) {
    this.child = spawn(process.execPath, [file, ...args], {
      stdio: [stdin, 'pipe', 'pipe'],
      env: { ...process.env, XDG_RUNTIME_DIR: runtime, ...env },
    })
    running.add(this.child)
    const exited = Promise.withResolvers<number | NodeJS.Signals>()
    this.exited = exited.promise
    this.child.on('close', (status, signal) => {
      running.delete(this.child)
      exited.resolve(signal ?? status ?? -1)
      this.#news()
    })
    this.child.stdin?.on('error', () => {})
    const { stdout, stderr } = this.child as { stdout: Readable; stderr: Readable }
    stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    createInterface({ input: stdout }).on('line', (line) => {
      this.lines.push(line)
      this.#news()
    })
  }

  /** Lets the process outlive this test. The caller ends it after all tests of its group. */
  keep(): this {
    running.delete(this.child)
    return this
  }

  /** The events so far. Throws if a line is not JSON. */
  get events(): Told[] {
    return this.lines.map((line) => JSON.parse(line) as Told)
  }

  of<K extends NodeEvent['event']>(kind: K): Kind<K>[] {
    return this.events.filter((event): event is Kind<K> => event.event === kind)
  }

  get id(): string {
    return this.of('started')[0]!.node.id
  }

  get address(): string {
    return this.of('started')[0]!.node.addresses[0]!
  }

  /** Returns the ids of the members in events of a kind, in order. */
  told(kind: 'joined' | 'left' | 'died'): string[] {
    return this.of(kind).map(({ node }) => node.id)
  }

  send(...lines: (object | string)[]): void {
    this.child.stdin?.write(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
  }

  /** Waits for the answer with this id. */
  async answer(re: string | number): Promise<Told> {
    await this.until(() => this.events.some((event) => 're' in event && event.re === re), `an answer to ${re}`)
    return this.events.find((event) => 're' in event && event.re === re)!
  }

  /** Waits until a condition holds for the output. */
  async until(condition: () => boolean, what: string, limit = 30_000): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = (): void => {
      if (condition()) resolve()
    }
    const timer = setTimeout(resolve, limit)
    // A condition may depend on other processes as well.
    const ticks = setInterval(look, 20)
    this.#watchers.add(look)
    look()
    await promise
    clearTimeout(timer)
    clearInterval(ticks)
    this.#watchers.delete(look)
    if (!condition()) expect.fail(`${what}: not within ${limit} ms\n${this.lines.join('\n')}\n${this.stderr}`)
  }

  #news(): void {
    for (const look of this.#watchers) look()
  }
}

/** Runs `jel` until it ends. After a minute it is killed. */
export async function run(...args: string[]): Promise<{ status: number | NodeJS.Signals; lines: string[]; stderr: string }> {
  const jel = new JelProcess(args, 'ignore')
  const timer = setTimeout(() => jel.child.kill('SIGKILL'), 60_000)
  const status = await jel.exited
  clearTimeout(timer)
  return { status, lines: jel.lines, stderr: jel.stderr }
}

/** Starts a node on loopback. */
export async function join1(pool: string, ...args: string[]): Promise<JelProcess> {
  const node = new JelProcess(['join', pool, '--json', ...loopback, ...args])
  await node.until(() => node.lines.length > 0, 'started')
  return node
}

/** Starts a pool on loopback. Returns when all nodes see all nodes. */
export async function joinAll(pool: string, count: number, ...args: string[]): Promise<JelProcess[]> {
  const first = await join1(pool, ...args)
  const others = Array.from({ length: count - 1 }, () => join1(pool, '--bootstrap', first.address, ...args))
  const nodes = [first, ...(await Promise.all(others))]
  await Promise.all(nodes.map((node) => node.until(() => node.of('joined').length >= count, `${count} joined`)))
  return nodes
}
