/** Calls an object in a child process over its IPC channel as if it were local. */
import { fork, type ChildProcess } from 'node:child_process'
import { keep } from './child.ts'

/** The object's methods, all of them asynchronous. */
type Remote<Api> = {
  readonly [Method in keyof Api]: Api[Method] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}

interface Call {
  readonly id: number
  readonly method: string
  readonly args: readonly unknown[]
}

type Reply = { readonly id: number } & ({ readonly result: unknown } | { readonly error: string })

/** A child process that holds such an object. */
export interface RemoteProcess<Api> {
  readonly child: ChildProcess
  readonly remote: Remote<Api>
}

/** Starts a module that calls {@link serve}. `flags`: Node's own. */
export function startRemote<Api>(module: URL, flags: readonly string[] = []): RemoteProcess<Api> {
  const child = keep(fork(module, { execArgv: [...flags], serialization: 'advanced' }))
  const pending = new Map<number, PromiseWithResolvers<unknown>>()
  let calls = 0
  child.on('message', (reply: Reply) => {
    const call = pending.get(reply.id)
    pending.delete(reply.id)
    if ('error' in reply) call?.reject(new Error(`worker: ${reply.error}`))
    else call?.resolve(reply.result)
  })
  child.once('exit', (code, signal) => {
    for (const call of pending.values()) call.reject(new Error(`worker ended early: ${code ?? signal}`))
    pending.clear()
  })
  const remote = new Proxy({} as Remote<Api>, {
    get:
      (_, method: string) =>
      (...args: readonly unknown[]) => {
        const call = Promise.withResolvers<unknown>()
        pending.set(++calls, call)
        if (child.connected) child.send({ id: calls, method, args } satisfies Call)
        else call.reject(new Error('the worker has ended'))
        return call.promise
      },
  })
  return { child, remote }
}

/** Answers the parent's calls, and exits with the parent. */
export function serve(api: object): void {
  const answer = async ({ id, method, args }: Call): Promise<void> => {
    let reply: Reply
    try {
      // The parent's proxy has typed the method and the arguments.
      reply = { id, result: await (api as Record<string, (...args: readonly unknown[]) => unknown>)[method]?.(...args) }
    } catch (error) {
      reply = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
    if (process.connected) process.send?.(reply)
  }
  process.on('message', (call: Call) => void answer(call))
  // A worker without its parent has no work.
  process.once('disconnect', () => process.exit())
}
