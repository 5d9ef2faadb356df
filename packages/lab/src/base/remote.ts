/** Calls an object in a child process over the IPC channel as if the object were local. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { end, keep } from './child.ts'

/** The methods of the object, all asynchronous. */
export type Remote<Api> = {
  readonly [Method in keyof Api]: Api[Method] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}

export interface Call {
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}

export type Reply = { readonly id: number } & ({ readonly result: unknown } | { readonly error: string })

/** A child process, and the object in it. */
export interface RemoteProcess<Api> {
  readonly child: ChildProcess
  readonly remote: Remote<Api>
}

/** The caller's end of a connection to an object in another process. */
export interface Caller<Api> {
  readonly remote: Remote<Api>
  /** Call it with each reply. */
  readonly settle: (reply: Reply) => void
  /** Call it when no more replies can come. */
  readonly fail: (error: Error) => void
}

/** `send`: sends a call, or throws if that is impossible. */
export function caller<Api>(send: (call: Call) => void): Caller<Api> {
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let calls = 0
  const get =
    (_: unknown, method: string) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      const call = Promise.withResolvers<unknown>()
      pending.set(++calls, call)
      send({ id: calls, method, args })
      return await call.promise
    }
  return {
    remote: new Proxy<Remote<Api>>({} as Remote<Api>, { get }),
    settle: (reply) => {
      const call = pending.get(reply.id)
      pending.delete(reply.id)
      if ('error' in reply) call?.reject(new Error(reply.error))
      else call?.resolve(reply.result)
    },
    fail: (error) => {
      for (const call of pending.values()) call.reject(error)
      pending.clear()
    },
  }
}

/**
 * Starts a process with a module that calls {@link serve}. `flags`: flags for Node itself.
 * `prefix`: the beginning of its command line, as in `within(host)`.
 */
export function startRemote<Api>(module: URL, flags: readonly string[] = [], prefix: readonly string[] = []): RemoteProcess<Api> {
  const [execPath = process.execPath, ...execArgv] = [...prefix, process.execPath, ...flags]
  const child = keep(fork(module, { execPath, execArgv, serialization: 'advanced' }))
  const { remote, settle, fail } = caller<Api>((call) => {
    if (!child.connected) throw new Error('the worker has ended')
    child.send(call)
  })
  child.on('message', (reply: Reply) => settle('error' in reply ? { ...reply, error: `worker: ${reply.error}` } : reply))
  child.once('exit', (code, signal) => fail(new Error(`worker ended early: ${code ?? signal}`)))
  return { child, remote }
}

/**
 * Calls the object's `stop`, which must end its process. Ends the process itself after `timeout`
 * ms.
 */
export async function stopRemote({ child, remote }: RemoteProcess<{ stop(): Promise<void> }>, timeout: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const stopped = once(child, 'exit', { signal: AbortSignal.timeout(timeout) }).catch(() => {})
  remote.stop().catch(() => {})
  await stopped
  await end(child, 2_000)
}

/** Answers the calls of the parent process. Exits when the parent exits. */
export function serve(api: object): void {
  const answer = async ({ id, method, args }: Call): Promise<void> => {
    let reply: Reply
    try {
      // The type `Remote` has checked the method and the arguments.
      reply = { id, result: await (api as Record<string, (...args: readonly unknown[]) => unknown>)[method]?.(...args) }
    } catch (error) {
      reply = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
    if (process.connected) process.send?.(reply)
  }
  process.on('message', (call: Call) => void answer(call))
  // A worker has nothing to do without its parent.
  process.once('disconnect', () => process.exit())
}
