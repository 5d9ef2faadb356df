/** The programs that the laboratory uses, and the rights that it needs to install them. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { UsageError } from '../base/settings.ts'

/**
 * This machine lacks something that the laboratory needs. The program prints the message without a
 * stack trace.
 */
export class UnableError extends UsageError {}

const FAKETIME = ['x86_64', 'aarch64', 'arm', 'i386'].map((arch) => `/usr/lib/${arch}-linux-gnu/faketime/libfaketimeMT.so.1`)

/**
 * Debian's Python, because Debian's packages are for this Python. The first Python in the path may
 * be another one.
 */
export const PYTHON = '/usr/bin/python3'

/** For each capability, the Debian packages that provide it, each with a test for its presence. */
const PACKAGES = {
  network: [
    { name: 'iproute2', present: () => runs('ip', '-Version') && runs('tc', '-Version') },
    { name: 'iptables', present: () => runs('iptables', '--version') },
  ],
  clock: [{ name: 'libfaketime', present: () => faketime() !== undefined }],
  redis: [{ name: 'redis-server', present: () => runs('redis-server', '--version') }],
  mpi: [
    { name: 'openmpi-bin', present: () => runs('mpirun', '--version') },
    { name: 'python3-mpi4py', present: () => runs(PYTHON, '-c', 'import mpi4py') },
  ],
  nats: [{ name: 'nats-server', present: () => runs('nats-server', '--version') }],
  etcd: [{ name: 'etcd-server', present: () => runs('etcd', '--version') }],
  prometheus: [{ name: 'prometheus', present: () => runs('prometheus', '--version') }],
  dask: [{ name: 'python3-distributed', present: () => runs(PYTHON, '-c', 'import distributed') }],
} as const
export type Capability = keyof typeof PACKAGES

/** The path of the library that gives a process its own clock; undefined if it is not installed. */
export function faketime(): string | undefined {
  return FAKETIME.find((file) => existsSync(file))
}

function runs(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0
}

/** True if all packages of the capability are present. */
export function isProvided(capability: Capability): boolean {
  return PACKAGES[capability].every(({ present }) => present())
}

/**
 * Installs missing packages if that is allowed: as root on Debian and derived systems.
 * @throws {UnableError} that names the missing packages, otherwise.
 */
export function provide(...capabilities: Capability[]): void {
  const missing = capabilities.flatMap((each) => PACKAGES[each].filter(({ present }) => !present()).map(({ name }) => name))
  if (missing.length === 0) return
  if (process.platform !== 'linux') throw new UnableError('the laboratory needs Linux: its hosts are network namespaces')
  if (process.getuid?.() !== 0 || !runs('apt-get', '--version')) {
    throw new UnableError(
      `missing: ${missing.join(', ')}. The laboratory installs packages only as root on Debian; here, install them and try again`,
    )
  }
  console.error(`installing ${missing.join(', ')}`)
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // A recommended package may start a service of its own, as Prometheus' exporter does.
  const install = (): boolean =>
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...missing], { env: environment }).status === 0
  if (install()) return
  spawnSync('apt-get', ['update'])
  if (!install()) throw new UnableError(`could not install ${missing.join(', ')}: apt-get install says why`)
}

/**
 * Runs a program to its end. Returns its output. Throws an error with the output if the program
 * fails.
 */
export function run(program: string, args: readonly string[], input?: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', ...(input !== undefined && { input }) })
  if (error !== undefined) throw new UnableError(`${program}: ${error.message}`)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr.trim() || stdout.trim() || `status ${status}`}`)
  return stdout
}
