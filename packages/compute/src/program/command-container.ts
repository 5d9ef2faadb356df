import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { basename } from 'node:path'
import type { CommandFolder } from './command-folder.ts'

const MEBIBYTE = 2 ** 20
/** The folders with programs of a command, and of its engine. */
export const COMMAND_PATH = '/usr/local/bin:/usr/bin:/bin'
/** Time in which an engine must answer, ms. A guess: podman takes a second on a slow machine. */
const ANSWER_TIME = 5_000

/** A program that runs containers. */
interface Engine {
  readonly name: string
  /** Further flags of `run`. */
  readonly flags: readonly string[]
  /** The command that removes a container at once. */
  readonly remove: string
}

/**
 * The engines, the preferred one first. The files that a command makes must belong to this user.
 */
const ENGINES: readonly Engine[] = [
  // Root in the container is this user. The other flags make all folders of the image read-only.
  { name: 'podman', flags: ['--user', '0:0', '--read-only-tmpfs=false', '--image-volume', 'ignore'], remove: 'podman rm --force --time 0' },
  { name: 'docker', flags: ['--user', `${process.getuid?.()}:${process.getgid?.()}`], remove: 'docker rm --force' },
]

/** The exit status of an engine that could not start the container. Source: its manual. */
export const NOT_STARTED = 125

/**
 * The first process of a container gets no signals for which it has no handler. So the first
 * process is this shell. It passes SIGTERM to all other processes of the container, and ends with
 * the status of the command.
 */
const FIRST = `trap 'kill -TERM -1 2>/dev/null' TERM; exec 3<&0; "$@" <&3 3<&- & child=$!; exec 0</dev/null 3<&-
wait "$child"; status=$?; while kill -0 "$child" 2>/dev/null; do wait "$child"; status=$?; done; exit "$status"`

/** The result of a trial: the engine that works on this machine. */
let known: Promise<Engine> | undefined

/** The container of one command. */
export interface Container {
  /** A prefix that confines the command after it. */
  readonly prefix: readonly string[]
  /** Removes the container `$1`, if it is there. */
  readonly remove: string
  readonly name: string
}

/**
 * Returns a container for a command. The command has no network, sees the image and its own
 * folders, and can write only in its folders. If the engine lacks the image, the engine fetches it
 * by its name.
 *
 * @param variables names of environment variables that the command has
 * @param limits MiB that a process may have as data, and a file may have
 * @throws Error with the code `COMMAND_CONTAINER_UNSUPPORTED` if no engine works here
 */
export async function containerOf(
  image: string,
  { base, work, temporary }: CommandFolder,
  variables: readonly string[],
  limits: { readonly data: number; readonly file: number },
): Promise<Container> {
  known ??= findEngine()
  known.catch(() => (known = undefined))
  const engine = await known
  const name = basename(base)
  return {
    name,
    remove: `${engine.remove} "$1" >/dev/null 2>&1`,
    prefix: [
      engine.name,
      ...'run --rm --interactive --read-only --network none --cap-drop all --log-driver none'.split(' '),
      // SELinux labels would make the folders inaccessible.
      ...['no-new-privileges', 'label=disable'].flatMap((option) => ['--security-opt', option]),
      '--name',
      name,
      ...engine.flags,
      ...['core=0:0', `data=${bytes(limits.data)}`, `fsize=${bytes(limits.file)}`].flatMap((limit) => ['--ulimit', limit]),
      ...[...variables, `HOME=${work}`, 'TMPDIR=/tmp'].flatMap((variable) => ['--env', variable]),
      ...[`${work}:${work}`, `${temporary}:/tmp`, `${temporary}:/dev/shm`].flatMap((volume) => ['--volume', volume]),
      '--workdir',
      work,
      '--entrypoint',
      '/bin/sh',
      image,
      '-c',
      FIRST,
      'sh',
    ],
  }
}

/** Returns a soft limit and a hard limit, in bytes. */
function bytes(mebibytes: number): string {
  const limit = Math.ceil(mebibytes * MEBIBYTE)
  return `${limit}:${limit}`
}

/**
 * Finds the engine that works on this machine.
 *
 * @param path the folders to search
 * @throws Error that names the fault of each engine
 */
export async function findEngine(path = COMMAND_PATH): Promise<Engine> {
  const problems: string[] = []
  for (const engine of ENGINES) {
    const problem = await problemOf(engine.name, path)
    if (problem === undefined) return engine
    problems.push(problem)
  }
  throw Object.assign(new Error(`this member runs no containers: ${problems.join('; ')}`), { code: 'COMMAND_CONTAINER_UNSUPPORTED' })
}

/**
 * Returns the reason why an engine does not work; undefined if it does. Without its daemon a client
 * of docker fails.
 *
 * @throws Error if the engine did not answer: an unknown result must not count as absence
 */
async function problemOf(engine: string, path: string): Promise<string | undefined> {
  // An engine has its settings in the user's home folder.
  const options = { env: { PATH: path, HOME: homedir() }, timeout: ANSWER_TIME, killSignal: 'SIGKILL' } as const
  return await new Promise((resolve, reject) => {
    execFile(engine, ['version'], options, (error, _, stderr) => {
      if (error === null) resolve(undefined)
      else if (error.killed === true)
        reject(Object.assign(new Error(`${engine} version took too long`), { code: 'COMMAND_CONFINEMENT_UNKNOWN' }))
      else if (error.code === 'ENOENT') resolve(`${engine} is not installed`)
      else resolve(`${engine} does not work: ${stderr.trim().split('\n').at(-1) || error.message}`)
    })
  })
}
