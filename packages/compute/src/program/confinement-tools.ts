import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * The tool that shuts off the network and, with bubblewrap, all files except the system's. `none`:
 * this machine has neither.
 */
export type NamespaceTool = 'bubblewrap' | 'unshare' | 'none'

/** Read-only folders: they contain the libraries that Node needs. */
export const SYSTEM = ['/usr', '/bin', '/lib', '/lib64']

/**
 * Whether a command works with the shell and the empty environment of its later use.
 *
 * @param confined the command that it confines in the trial
 * @throws Error if the trial did not end: an unknown result must not count as absence
 */
export async function works(command: readonly string[], confined = [process.execPath, '--version']): Promise<boolean> {
  const args = ['-c', 'exec "$@"', 'sh', ...command, ...confined]
  const child = spawn('/bin/sh', args, { env: {}, stdio: 'ignore', timeout: 5000, killSignal: 'SIGKILL' })
  const [status] = (await once(child, 'exit')) as [number | null]
  if (status === null) throw new Error('it could not be found out how this machine confines programs: that took too long')
  return status === 0
}
