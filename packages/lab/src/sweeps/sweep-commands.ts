/** The sweeps: their users' files and commands. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jelBin } from '../base/paths.ts'
import { PYTHON } from '../network/tools.ts'

const programs = join(import.meta.dirname, 'programs')
const jel = [process.execPath, jelBin]
/** The name of the file of inputs in a user's folder. */
export const INPUTS = 'inputs.json'
/** The name of each sweep, also in `client.py`. */
const NAME = 'sweep'
/** The command that starts jel, for the Python client. */
export const JEL = jel.join(' ')

/** The pool that a command enters. */
interface Place {
  readonly pool: string
  /** The address of a worker. */
  readonly address: string
  /** Whether the command enters the pool by this address. Otherwise it asks a node here. */
  readonly enters: boolean
  /** The address of Dask's scheduler. */
  readonly scheduler: string
}

export interface SweepCommand {
  readonly name: string
  /** The file that the user writes. */
  readonly file: string
  readonly isDask?: boolean
  /** Returns the command, which writes the values as a JSON array or as lines of JSON. */
  readonly command: (place: Place) => readonly string[]
}

function map({ pool, address, enters }: Place, ...args: readonly string[]): readonly string[] {
  const entry = enters ? ['--bootstrap', address, '--listen', '/ip4/127.0.0.1/tcp/0'] : []
  return [...jel, 'map', pool, ...args, '--inputs', INPUTS, '--name', NAME, ...entry]
}

export const SWEEPS: readonly SweepCommand[] = [
  { name: 'jel map, TypeScript', file: 'evaluate.ts', command: (place) => map(place, 'evaluate.ts', 'evaluate') },
  {
    name: 'jel map --command, Python',
    file: 'evaluate.py',
    command: (place) => map(place, '--command', `${PYTHON} evaluate.py {}`, '--files', 'evaluate.py'),
  },
  {
    name: 'jel map --command --persistent, Python',
    file: 'persistent.py',
    command: (place) => map(place, '--command', `${PYTHON} persistent.py`, '--persistent', '--files', 'persistent.py'),
  },
  { name: 'Python client, pool.map', file: 'client.py', command: ({ pool, address }) => [PYTHON, 'client.py', pool, INPUTS, address] },
  { name: 'Dask, client.map', file: 'dask_map.py', isDask: true, command: ({ scheduler }) => [PYTHON, 'dask_map.py', scheduler, INPUTS] },
]

/** Returns the command that prints the state of a sweep as JSON. */
export const statusOf = (pool: string): readonly string[] => [...jel, 'job', pool, NAME, '--json']

/** Returns the path of the file that the user of a sweep writes. */
export const programOf = ({ file }: SweepCommand): string => join(programs, file)

/** Returns the number of lines that the user of a sweep writes. */
export function linesOf(sweep: SweepCommand): number {
  return readFileSync(programOf(sweep), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '').length
}
