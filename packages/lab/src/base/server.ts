/** Starts a contender's server on a loopback port, and waits until it accepts connections. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { keep } from './child.ts'
import { until } from './wait.ts'

/**
 * Longest time until a server answers, ms. A guess: Dask's scheduler takes two seconds on slow
 * cores.
 */
const START = 30_000

/** Returns a port on which no program listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Starts a program. The kernel kills the program when this process ends for any reason (`setpriv`
 * of util-linux).
 */
export function startProgram(program: string, args: readonly string[], folder: string): ChildProcess {
  const child = keep(spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], { cwd: folder, stdio: 'ignore' }))
  // A program that fails to start never answers. The code that waits for the answer reports that.
  child.once('error', () => {})
  return child
}

export async function startServer(program: string, args: readonly string[], folder: string, port: number): Promise<ChildProcess> {
  const child = startProgram(program, args, folder)
  let isUp = false
  await until(async () => (isUp = await answers(port)) || child.exitCode !== null, START)
  if (!isUp) throw new Error(`${program} does not answer on port ${port}`)
  return child
}

/** Connects to a port of loopback. Returns undefined if no program listens. */
export async function connection(port: number): Promise<Socket | undefined> {
  const socket = connect(port, '127.0.0.1')
  return await once(socket, 'connect').then(
    () => socket,
    () => undefined,
  )
}

async function answers(port: number): Promise<boolean> {
  const socket = await connection(port)
  socket?.destroy()
  return socket !== undefined
}
