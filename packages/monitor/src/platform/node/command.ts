import { spawn } from 'node:child_process'
import { isScalar, MAX_VALUE_BYTES, type Value } from '../../expression/value.ts'

/**
 * Runs a command of the shell in a process group of its own.
 *
 * @returns its output, read as JSON if it is JSON, else as text without the space at its ends
 * @throws Error if the command fails, prints too much, or the signal aborts. Then no process of the
 *   group is left.
 */
export async function runCommand(command: string, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const { promise, resolve, reject } = Promise.withResolvers<Value>()
  const out: Buffer[] = []
  let size = 0
  let message = ''
  const end = (error: Error): void => {
    if (child.pid !== undefined) killGroup(child.pid)
    reject(error)
  }
  child.stdout.on('data', (piece: Buffer) => {
    out.push(piece)
    size += piece.length
    if (size > 4 * MAX_VALUE_BYTES) end(new Error('the command prints too much'))
  })
  child.stderr.on('data', (piece: Buffer) => (message = (message + piece.toString()).slice(-256)))
  child.on('error', end)
  child.on('close', (status, by) => {
    if (status === 0) resolve(valueOf(Buffer.concat(out).toString().trim()))
    else end(new Error(`the command ended with ${by ?? `status ${status}`}${message === '' ? '' : `: ${message.trim()}`}`))
  })
  const abort = (): void => end(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

function valueOf(text: string): Value {
  try {
    const value: unknown = JSON.parse(text)
    if (isScalar(value) || Array.isArray(value)) return value as Value
  } catch {
    // It is text.
  }
  return text
}
