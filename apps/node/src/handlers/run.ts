import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { messageOf } from '../base/usage-error.ts'
import { oneLine } from '../base/text.ts'

/**
 * The number of bytes that are kept: the last ones of all output, and the first ones of standard
 * output. A guess: the last error message is shorter.
 */
const OUTPUT_LIMIT = 4_096
/**
 * The wait for the last output after the command's end, in milliseconds. A background process of
 * the command may keep the output open. A guess.
 */
const LAST_OUTPUT = 200

/** A running command. */
export interface Run {
  /**
   * All output in one line, the beginning of standard output, and the problem, if there was one.
   * Never rejects.
   */
  readonly ended: Promise<{ readonly output: string; readonly stdout: Uint8Array; readonly problem?: string }>
  /** Sends a signal to the command and to all its descendants in the process group. */
  kill(signal: NodeJS.Signals): void
}

/**
 * Runs a command in the shell, in a process group of its own, with `input` on its standard input.
 */
export function runCommand(command: string, input: string, environment: Readonly<Record<string, string>>): Run {
  try {
    return watch(start(command, environment), input)
  } catch (error) {
    return { ended: Promise.resolve({ output: '', stdout: new Uint8Array(), problem: messageOf(error) }), kill() {} }
  }
}

const WINDOWS = process.platform === 'win32'

type Child = ReturnType<typeof start>

function start(command: string, environment: Readonly<Record<string, string>>) {
  return spawn(command, { shell: true, detached: !WINDOWS, windowsHide: true, stdio: 'pipe', env: { ...process.env, ...environment } })
}

function watch(child: Child, input: string): Run {
  // Without free descriptors the child has no streams, and emits an error event. Unhandled, the
  // event would end this process.
  child.on('error', () => {})
  if ((child.stdio as unknown) === undefined) throw new Error('no file descriptors are left')
  const kept: Buffer[] = []
  const keep = (chunk: Buffer): void => {
    const all = Buffer.concat([...kept, chunk])
    kept.splice(0, kept.length, all.subarray(-OUTPUT_LIMIT))
  }
  let stdout = Buffer.alloc(0)
  child.stdout.on('data', (chunk: Buffer) => {
    stdout = Buffer.concat([stdout, chunk]).subarray(0, OUTPUT_LIMIT)
    keep(chunk)
  })
  child.stderr.on('data', keep)
  // The command need not read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const closed = once(child, 'close').catch(() => {})
  const problem = new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => resolve(messageOf(error)))
    child.on('exit', (status, signal) => resolve(status === 0 ? undefined : signal === null ? `status ${status}` : signal))
  })
  const end = async (): Promise<Awaited<Run['ended']>> => {
    const wrong = await problem
    const timer = setTimeout(() => {
      child.stdout.destroy()
      child.stderr.destroy()
    }, LAST_OUTPUT)
    await closed
    clearTimeout(timer)
    return { output: oneLine(Buffer.concat(kept).toString()), stdout, ...(wrong !== undefined && { problem: wrong }) }
  }
  return {
    ended: end(),
    kill(signal) {
      try {
        if (WINDOWS) child.kill(signal)
        else if (child.pid !== undefined) process.kill(-child.pid, signal)
      } catch {
        // The process is already gone.
      }
    },
  }
}
