import { Command, CommanderError, Help, InvalidArgumentError, Option } from 'commander'
import type { JobFlags } from './compute/jobs.ts'
import type { MemberFlags } from './compute/member.ts'
import type { SubmitFlags } from './compute/submit.ts'
import type { WorkFlags } from './compute/work.ts'
import type { DemoFlags } from './demo.ts'
import type { JoinFlags } from './join.ts'
import type { KeygenFlags } from './keygen.ts'
import type { SimulateFlags } from './simulate.ts'
import { flushed, OutputWatch } from './output.ts'
import { oneLine } from './text.ts'
import { messageOf, statusOf, UsageError } from './usage-error.ts'

/** How long the last lines may take to reach their reader, in milliseconds. A guess. */
const FLUSH_TIME = 2000
/** The longest time a timer can be set to: 2³¹ - 1 milliseconds. */
const MAX_SECONDS = Math.floor((2 ** 31 - 1) / 1000)

/** Runs the command line and ends the process with its status. `script` is the file that was started, for `jel demo`. */
export async function main(args: readonly string[], script: string, version: string): Promise<void> {
  const output = new OutputWatch(process.stdout)
  const status = await run(args, script, version)
  await flushed(process.stdout, FLUSH_TIME)
  const problem = output.problem
  if (problem !== undefined) process.stderr.write(`jel: can't write to standard output: ${problem}\n`)
  await flushed(process.stderr, FLUSH_TIME)
  process.exit(problem === undefined ? status : status || 1)
}

async function run(args: readonly string[], script: string, version: string): Promise<number> {
  let status = 0
  const program = commandLine(script, version, (result) => (status = result))
  try {
    if (args.length === 0) throw new UsageError('missing command; jel --help lists them')
    await program.parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const wrongUsage = error instanceof CommanderError
    process.stderr.write(`jel: ${oneLine(messageOf(error)).replace(/^error: /u, '')}\n`)
    return wrongUsage ? 2 : statusOf(error)
  }
}

function commandLine(script: string, version: string, done: (status: number) => void): Command {
  const program = new Command('jel')
    .description('A pool of peers with no one in charge: join it, watch it, elect in it.')
    .version(version)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .configureHelp({ optionDescription: describeOption })

  asNode(entering(program, 'join', 'join a pool and tell what happens in it, until SIGINT, SIGTERM or the end of standard input')).action(
    async (pool: string, flags: JoinFlags) => {
      const { join } = await import('./join.ts')
      done(await join(pool, flags))
    },
  )

  program
    .command('demo')
    .argument('[part]', 'compute: a job that outlives a worker, the member with its root, and its submitter')
    .description('start a pool of node processes on this machine and show what they do')
    .addOption(new Option('--nodes <count>', 'how many, 3 to 50').argParser(countOf).default(8))
    .option('--json', 'one JSON object a step')
    .action(async (part: string | undefined, flags: DemoFlags) => {
      if (part === undefined) {
        const { demo } = await import('./demo.ts')
        done(await demo(script, flags))
        return
      }
      if (part !== 'compute') throw new UsageError(`there is no demo ${JSON.stringify(part)}; there is jel demo, and jel demo compute`)
      const { demoCompute } = await import('./compute/index.ts')
      done(await demoCompute(script, flags))
    })

  computing(program, done)

  program
    .command('keygen')
    .description('make the key of a private pool (printed, or written to a new file), or an identity')
    .option('--key-file <file>', 'write the pool key to this new file')
    .option('--identity <file>', 'make an identity in this new file instead')
    .action(async (flags: KeygenFlags) => {
      const { keygen } = await import('./keygen.ts')
      await keygen(flags)
    })

  program
    .command('simulate')
    .argument('[file]', 'a scenario file, or the name of one that is shipped')
    .description('run a scenario in the simulator and say what came of it')
    .option('--list', 'show the scenarios that are shipped')
    .option('--seeds <range>', 'instead of those of the file, as in 7 or 1..20')
    .option('--set <key=value>', 'replace a value of the file, as in nodes=2000 or network.loss=5%; may be repeated', collect, [])
    .option('--sweep <key=a,b,c>', 'run once for each value; may be repeated, for all combinations', collect, [])
    .option('--out <dir>', 'write a report, figures and plots to this new folder')
    .option('--trace', 'with --out: write down, too, all that nodes are told, as JSON lines')
    .addOption(new Option('--workers <count>', 'threads (default: one a processor)').argParser(workersOf))
    .option('--replay <seed[:hash]>', 'make one run once more, as a failure prints it')
    .option('--shrink <file>', 'with --replay: write the smallest scenario that fails in the same way to this new file')
    .action(async (file: string | undefined, flags: SimulateFlags) => {
      const { simulate } = await import('./simulate.ts')
      done(await simulate(file, flags))
    })

  return program
}

/** That a list is empty where nothing is given for it need not be said. */
function describeOption(option: Option): string {
  return Help.prototype.optionDescription(option).replace(/ \(default: (?:\[\]|\{\})\)$/u, '')
}

/** A command that enters a pool. */
function entering(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .argument('<pool>', 'name of the pool')
    .description(description)
    .option('--bootstrap <address>', 'of a member, host:port or a multiaddr; may be repeated', collect, [])
    .option(
      '--listen <address>',
      'where to listen, ip:port or a multiaddr; may be repeated (default: all interfaces, any port)',
      collect,
      [],
    )
    .option('--key-file <file>', 'key of a private pool, as jel keygen makes it')
}

/** One that runs a node until it is told to stop. */
function asNode(command: Command): Command {
  return command
    .option('--location <levels>', 'from fine to coarse, as in node7@rack2@delft@nl (default: the host name)')
    .option('--tag <text>', 'text that all members get to know, at most 1 KiB')
    .option('--elect <name>', 'be a candidate in an election; may be repeated', collect, [])
    .option('--identity <file>', 'keep this node’s key and incarnation in a file')
    .option('--require <count>', 'end with status 1 unless so many members are here, this node included, within --timeout', membersOf)
    .option('--timeout <seconds>', 'how long --require may take (default: 30)', durationOf)
    .option('--found', 'where no bootstrap address lets this node in, it is the pool and stands in its elections')
    .option('--for <seconds>', 'leave after this time', durationOf)
    .option('--json', 'one JSON object a line; commands on standard input')
}

/** The commands that compute. */
function computing(program: Command, done: (status: number) => void): void {
  const owning = (name: string, description: string): Command =>
    entering(program, name, description).option('--owner <file>', 'key that owns your jobs (default: one that is made the first time)')

  asNode(owning('work', 'join a pool as jel join does, and run tasks of its jobs'))
    .addOption(new Option('--workers <count>', 'tasks at once (default: one a processor)').argParser(workersOf))
    .option(
      '--accept <whose>',
      'whose programs run here: own, members or the id of an owner, in threads; sandbox, anybody’s in sandboxes; may be repeated (default: own, sandbox)',
      collect,
      [],
    )
    .option(
      '--limit <what=amount>',
      'of one task time=SECONDS (600) and memory=MiB (512), of all programs disk=MiB (256); may be repeated',
      limitOf,
      {},
    )
    .option(
      '--tickets <owner=count>',
      'shares of processor time among owners whose jobs wait: own or the id of an owner, others have one (default: the first job comes first); may be repeated',
      ticketsOf,
    )
    .action(async (pool: string, flags: WorkFlags) => {
      const { work } = await import('./compute/index.ts')
      done(await work(pool, flags))
    })

  owning('submit', 'submit a job: a function of a program, and its input as JSON')
    .argument('<file>', 'the program, an ES module in JavaScript or TypeScript')
    .argument('<function>', 'a task that it exports')
    .argument('[input]', 'JSON')
    .option('--blob <name=file>', 'a file whose bytes go along: the input has its name there, for `use`; may be repeated', blobOf, {})
    .option('--name <name>', 'to find it by; the same name, program and input are the same job')
    .option('--keep <time>', 'how long the job and its result are kept, as in 12 h or 7 d (default: 7 d)', keepOf)
    .addOption(
      new Option('--votes <count>', 'so many members compute each task, and what they agree on counts (default: 1)').argParser(votesOf),
    )
    .option('--detach', 'do not wait for the result')
    .option('--json', 'one JSON object a line')
    .action(async (pool: string, file: string, fn: string, input: string | undefined, flags: SubmitFlags) => {
      const { submit } = await import('./compute/index.ts')
      done(await submit(pool, file, fn, input, flags))
    })

  owning('jobs', 'list the jobs of a pool')
    .option('--json', 'one JSON object a job')
    .action(async (pool: string, flags: MemberFlags) => {
      const { jobs } = await import('./compute/index.ts')
      done(await jobs(pool, flags))
    })

  owning('job', 'say how a job goes')
    .argument('<job>', 'its id or name')
    .option('--follow', 'until it ends, with its result')
    .option('--result', 'wait for its result')
    .option('--cancel', 'end it everywhere; its owner only')
    .option('--suspend', 'begin nothing more of it until --resume; its owner only')
    .option('--resume', 'go on with it')
    .option('--why', 'say why it is in its state, and what waits for what')
    .option('--json', 'one JSON object a line')
    .action(async (pool: string, id: string, flags: JobFlags) => {
      const { job } = await import('./compute/index.ts')
      done(await job(pool, id, flags))
    })
}

function blobOf(text: string, blobs: SubmitFlags['blob']): SubmitFlags['blob'] {
  const [, name, file] = /^(\w+)=(.+)$/su.exec(text) ?? []
  if (name === undefined || file === undefined) throw new InvalidArgumentError('It must be NAME=FILE, as in matrices=nug12.dat.')
  return { ...blobs, [name]: file }
}

function limitOf(text: string, limits: WorkFlags['limit']): WorkFlags['limit'] {
  const [, what, amount] = /^(time|memory|disk)=(\d+(?:\.\d+)?)$/u.exec(text) ?? []
  if (what === undefined) throw new InvalidArgumentError('It must be time=SECONDS, memory=MiB or disk=MiB.')
  if (what === 'time') return { ...limits, time: durationOf(amount as string) }
  const megabytes = Number(amount)
  if (!(megabytes >= 16 && megabytes <= 65_536)) throw new InvalidArgumentError('It must be 16 to 65536 MiB.')
  return { ...limits, [what]: Math.floor(megabytes) }
}

function ticketsOf(text: string, tickets: WorkFlags['tickets']): WorkFlags['tickets'] {
  const [, owner, count] = /^(\w+)=(\d+(?:\.\d+)?)$/u.exec(text) ?? []
  if (owner === undefined || !(Number(count) > 0 && Number(count) <= 1_000_000))
    throw new InvalidArgumentError('It must be own=COUNT or ID=COUNT, a count above 0 and at most 1000000.')
  return { ...tickets, [owner]: Number(count) }
}

function keepOf(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(min|h|d)$/u.exec(text) ?? []
  const time = Number(amount) * (unit === 'min' ? 60_000 : unit === 'h' ? 3_600_000 : 86_400_000)
  if (!(time > 0 && time <= 31 * 86_400_000)) throw new InvalidArgumentError('It must be a time as in 30 min, 12 h or 7 d, at most 31 d.')
  return time
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value]
}

function durationOf(text: string): number {
  const seconds = /^\d+(?:\.\d+)?$/u.test(text) ? Number(text) : Number.NaN
  if (!(seconds > 0 && seconds <= MAX_SECONDS))
    throw new InvalidArgumentError(`It must be a number of seconds above 0, at most ${MAX_SECONDS}.`)
  return seconds * 1000
}

function votesOf(text: string): number {
  if (!/^[1-7]$/u.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 7.')
  return Number(text)
}

function membersOf(text: string): number {
  const count = /^\d+$/u.test(text) ? Number(text) : Number.NaN
  if (!(count >= 1 && count <= 50_000)) throw new InvalidArgumentError('It must be a whole number from 1 to 50000.')
  return count
}

function workersOf(text: string): number {
  const count = /^\d+$/u.test(text) ? Number(text) : Number.NaN
  if (!(count >= 1 && count <= 256)) throw new InvalidArgumentError('It must be a whole number from 1 to 256.')
  return count
}

function countOf(text: string): number {
  const count = /^\d+$/u.test(text) ? Number(text) : Number.NaN
  if (!(count >= 3 && count <= 50)) throw new InvalidArgumentError('It must be a whole number from 3 to 50.')
  return count
}
