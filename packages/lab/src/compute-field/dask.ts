/** Dask: a scheduler, one process for each worker, and a client, in Python. */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { end, keep } from '../base/child.ts'
import { endedTasks, readExecutions } from '../base/job-log.ts'
import { caller, type Remote, type Reply } from '../base/remote.ts'
import { freePort, startProgram, startServer } from '../base/server.ts'
import { until } from '../base/wait.ts'
import { isProvided, provide, PYTHON } from '../network/tools.ts'
import type { Client } from './programs/client.ts'
import type { Contender, Cluster, Place } from './contender.ts'

const CLIENT = fileURLToPath(new URL('programs/dask-client.py', import.meta.url))
/** Longest time that a process may take to end, ms. */
const END = 3000

interface DaskClient extends Client {
  enter(port: number, workers: number): void
}

async function start({ workers: count, folder }: Place): Promise<Cluster> {
  const port = await freePort()
  const dask = (command: string): string[] => ['-m', `distributed.cli.dask_${command}`]
  const listen = ['--host', '127.0.0.1', '--port', String(port), '--no-dashboard']
  const scheduler = await startServer(PYTHON, [...dask('scheduler'), ...listen], folder, port)
  // Workers run without a nanny. A nanny restarts a killed worker. After the loss of a machine
  // there is no nanny.
  const args = [...dask('worker'), `tcp://127.0.0.1:${port}`, '--nthreads', '1', '--no-nanny', '--no-dashboard', '--host', '127.0.0.1']
  const workers = Array.from({ length: count }, () => startProgram(PYTHON, args, folder))
  const child = keep(spawn(PYTHON, [CLIENT]))
  const client = linesRemote(child)
  await client.enter(port, count)
  return {
    client,
    nodes: count + 2,
    kill: (part) => {
      const killed = part === 'worker' ? workers[0] : part === 'submitter' ? child : scheduler
      killed?.kill('SIGKILL')
      return part === 'worker' ? count - 1 : count
    },
    // Only the killed client could ask for its results, so this waits for the end of all tasks.
    outlived: async ({ log }, tasks) => void (await until(() => endedTasks(readExecutions(log)).size >= tasks)),
    stop: async () => {
      await Promise.all([child, ...workers].map((each) => end(each, END)))
      await end(scheduler, END)
    },
  }
}

/** The methods of the client in the Python process, called like those of other clients. */
function linesRemote(child: ChildProcessWithoutNullStreams): Remote<DaskClient> {
  const { remote, settle, fail } = caller<DaskClient>((call) => void child.stdin.write(`${JSON.stringify(call)}\n`))
  createInterface(child.stdout).on('line', (line) => settle(JSON.parse(line) as Reply))
  child.stdin.on('error', () => {
    // The client may have been killed a moment ago, as part of the measurement.
  })
  let complaint = ''
  createInterface(child.stderr).on('line', (line) => (complaint = line))
  child.once('exit', (code, signal) => fail(new Error(`the client ended with ${code ?? signal}: ${complaint}`)))
  return remote
}

export function dask(): Contender {
  const version = (): string =>
    spawnSync(PYTHON, ['-c', 'import distributed; print(distributed.__version__)'], { encoding: 'utf8' }).stdout?.trim() ?? '?'
  return {
    name: 'Dask',
    form: () =>
      `Dask distributed ${version()} of Debian: a scheduler, a process with one thread for each worker, without nannies, and a client`,
    parts: ['worker', 'holder', 'submitter'],
    missing: (install) => {
      if (install) provide('dask')
      return isProvided('dask') ? undefined : 'Dask is not installed here (Debian: apt-get install python3-distributed)'
    },
    start,
  }
}
