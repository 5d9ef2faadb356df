/** The commands of the command line: those of the table, and those that a running node lacks. */
import type { Command as Program } from 'commander'
import { countOf, durationOf, handlerOf, httpOf, limitOf, membersOf, ticketsOf, workersOf } from './arguments.ts'
import type { Shell } from './commands/command.ts'
import { ENTER_FLAGS, JSON_LINES, NODE_FLAGS, OWNER, POOL, repeated, type Flag, type Operand } from './commands/flags.ts'
import { commands, type CommandName } from './commands/table.ts'
import type { JobClientFlags } from './compute/job-client.ts'
import type { JobFlags } from './compute/jobs.ts'
import type { SubmitFlags } from './compute/submit.ts'
import type { WorkFlags } from './compute/work.ts'
import type { AskGiven } from './control/ask.ts'
import type { NodeFlags } from './control/client.ts'
import type { DemoFlags } from './demo/demo.ts'
import type { JoinFlags } from './join.ts'
import type { KeygenFlags } from './keygen.ts'
import { FORMATS, LEVELS } from './log/log.ts'
import type { ShellName } from './reference/completion.ts'
import type { SimulateFlags } from './simulate/simulate.ts'
import { UsageError } from './base/usage-error.ts'

/** The process that runs a command. */
interface Surroundings {
  /** The started file. */
  readonly script: string
  readonly version: string
  readonly program: Program
}

export interface ShellCommand {
  readonly name: string
  readonly about: string
  readonly operands: readonly Operand[]
  readonly flags: readonly Flag[]
  /** Takes operands and flags, by name. Returns the exit status; nothing is 0. */
  run(given: never, surroundings: Surroundings): Promise<number | void>
}

type WithPool<Flags> = Flags & { readonly pool: string }

const RUNS_HERE = '(asks the node of that pool that runs here)'

/** The flag that names a file with the other flags. */
export const CONFIG: Flag = { usage: '--config <file>', about: 'flags as a JSON object; those of the command line count more' }

/** The flags of a command that runs a node until it stops. */
const RUN_FLAGS: readonly Flag[] = [
  { usage: '--location <levels>', about: 'from fine to coarse, as in node7@rack2@delft@nl (default: the host name)' },
  { usage: '--tag <text>', about: 'text that all members get to know, at most 1 KiB' },
  repeated('--elect <name>', 'be a candidate in an election; may be repeated'),
  { usage: '--identity <file>', about: 'keep this node’s key and incarnation in a file' },
  repeated('--announce <address>', 'where others reach this node instead, host:port or a multiaddr; may be repeated'),
  { usage: '--port-mapping', about: 'have the router map a port to this node (UPnP)' },
  repeated('--allow <id>', 'of a node that may connect, if not all may; may be repeated'),
  { usage: '--allow-file <file>', about: 'the same, one id a line' },
  {
    usage: '--require <count>',
    about: 'end with status 1 unless so many members are here, this node included, within --timeout',
    parse: membersOf,
  },
  { usage: '--timeout <seconds>', about: 'how long --require may take (default: 30)', parse: durationOf },
  { usage: '--pool-size <count>', about: 'how many members the pool is for: who comes later is refused', parse: membersOf },
  { usage: '--found', about: 'where no bootstrap address lets this node in, it is the pool and stands in its elections' },
  { usage: '--for <seconds>', about: 'leave after this time', parse: durationOf },
  {
    usage: '--control <path>',
    about: 'where to listen for commands of this user (default: a path that jel members and others find)',
  },
  { usage: '--no-control', about: 'listen for none' },
  {
    usage: '--on <event=command>',
    about: 'run a command for each such event, as in joined,left=./script.sh; may be repeated',
    parse: handlerOf,
    initial: [],
  },
  { usage: '--log <level>', about: 'write a log of such lines and graver ones (default: silent)', choices: LEVELS },
  { usage: '--log-format <format>', about: 'of its lines (default: text)', choices: FORMATS },
  { usage: '--log-file <path>', about: 'where lines are added instead of standard error' },
  {
    usage: '--http <ip:port>',
    about: 'serve a page, /metrics, /health and /ready there, read-only; on loopback unless others may see it',
    parse: httpOf,
  },
  { usage: '--json', about: 'one JSON object a line; commands on standard input' },
  CONFIG,
]

const join: ShellCommand = {
  name: 'join',
  about: 'join a pool and tell what happens in it, until SIGINT, SIGTERM or the end of standard input',
  operands: [POOL],
  flags: [...ENTER_FLAGS, ...RUN_FLAGS],
  async run({ pool, ...flags }: WithPool<JoinFlags>, { version }) {
    const { join } = await import('./join.ts')
    return await join(pool, { ...flags, version })
  },
}

const work: ShellCommand = {
  name: 'work',
  about: 'join a pool as jel join does, and run tasks of its jobs',
  operands: [POOL],
  flags: [
    ...ENTER_FLAGS,
    OWNER,
    ...RUN_FLAGS,
    { usage: '--workers <count>', about: 'tasks at once (default: one a processor)', parse: workersOf },
    repeated(
      '--accept <whose>',
      'whose programs run here: own, members or the id of an owner, with all rights of this user; sandbox, anybody’s in sandboxes; may be repeated (default: own, sandbox)',
    ),
    {
      usage: '--limit <what=amount>',
      about:
        'of one task time=SECONDS (600) and memory=MiB (512), of programs, inputs and blobs together disk=MiB (256); may be repeated',
      parse: limitOf,
      initial: {},
    },
    {
      usage: '--tickets <owner=count>',
      about:
        'shares of processor time among owners whose jobs wait: own or the id of an owner, others have one (default: the first job comes first); may be repeated',
      parse: ticketsOf,
    },
  ],
  async run({ pool, ...flags }: WithPool<WorkFlags>, { version }) {
    const { work } = await import('./compute/index.ts')
    return await work(pool, { ...flags, version })
  },
}

const demo: ShellCommand = {
  name: 'demo',
  about: 'start a pool of node processes on this machine and show what they do',
  operands: [{ usage: '[part]', about: 'compute: a job that outlives a worker, the member with its root, and its submitter' }],
  flags: [
    { usage: '--nodes <count>', about: 'how many, 3 to 50', parse: countOf, initial: 8 },
    { ...JSON_LINES, about: 'one JSON object a step' },
  ],
  async run({ part, ...flags }: DemoFlags & { readonly part?: string }, { script }) {
    if (part === undefined) {
      const { demo } = await import('./demo/demo.ts')
      return await demo(script, flags)
    }
    if (part !== 'compute') throw new UsageError(`there is no demo ${JSON.stringify(part)}; there is jel demo, and jel demo compute`)
    const { demoCompute } = await import('./compute/index.ts')
    return await demoCompute(script, flags)
  },
}

const top: ShellCommand = {
  name: 'top',
  about: `watch the pool on the terminal ${RUNS_HERE}`,
  operands: [POOL],
  flags: NODE_FLAGS,
  async run({ pool, ...flags }: WithPool<NodeFlags>) {
    const { top } = await import('./terminal/top.ts')
    return await top(pool, flags)
  },
}

const keygen: ShellCommand = {
  name: 'keygen',
  about: 'make the key of a private pool (printed, or written to a new file), or an identity',
  operands: [],
  flags: [
    { usage: '--key-file <file>', about: 'write the pool key to this new file' },
    { usage: '--identity <file>', about: 'make an identity in this new file instead' },
  ],
  async run(flags: KeygenFlags) {
    const { keygen } = await import('./keygen.ts')
    await keygen(flags)
  },
}

const simulate: ShellCommand = {
  name: 'simulate',
  about: 'run a scenario in the simulator and say what came of it',
  operands: [{ usage: '[file]', about: 'a scenario file, or the name of one that is shipped' }],
  flags: [
    { usage: '--list', about: 'show the scenarios that are shipped' },
    { usage: '--seeds <range>', about: 'instead of those of the file, as in 7 or 1..20' },
    repeated('--set <key=value>', 'replace a value of the file, as in nodes=2000 or network.loss=5%; may be repeated'),
    repeated('--sweep <key=a,b,c>', 'run once for each value; may be repeated, for all combinations'),
    { usage: '--out <dir>', about: 'write a report, figures and plots to this new folder' },
    { usage: '--trace', about: 'with --out: write down, too, all that nodes are told, as JSON lines' },
    { usage: '--workers <count>', about: 'threads (default: one a processor)', parse: workersOf },
    { usage: '--replay <seed[:hash]>', about: 'make one run once more, as a failure prints it' },
    { usage: '--shrink <file>', about: 'with --replay: write the smallest scenario that fails in the same way to this new file' },
  ],
  async run({ file, ...flags }: SimulateFlags & { readonly file?: string }) {
    const { simulate } = await import('./simulate/simulate.ts')
    return await simulate(file, flags)
  },
}

const completion: ShellCommand = {
  name: 'completion',
  about: 'print a script that has a shell complete commands and flags, as in source <(jel completion bash)',
  operands: [{ usage: '<shell>', about: 'whose words are completed', choices: ['bash', 'zsh', 'fish'] }],
  flags: [],
  async run({ shell }: { readonly shell: ShellName }, { program }) {
    const { completionOf } = await import('./reference/completion.ts')
    process.stdout.write(completionOf(program, shell))
  },
}

/** A command of the table that asks the node of a pool that runs here. */
function asking(name: CommandName): ShellCommand {
  const { flags, about, ...common } = shellOf(name)
  return {
    ...common,
    about: `${about} ${RUNS_HERE}`,
    flags: [...NODE_FLAGS, ...flags],
    async run(given: AskGiven) {
      const { ask } = await import('./control/ask.ts')
      return await ask(name, given)
    },
  }
}

const submit: ShellCommand = {
  ...shellOf('submit'),
  async run({ pool, file, function: name, input, ...flags }: WithPool<SubmitFlags> & { file: string; function: string; input?: string }) {
    const { submit } = await import('./compute/index.ts')
    return await submit(pool, file, name, input, flags)
  },
}

const jobs: ShellCommand = {
  ...shellOf('jobs'),
  async run({ pool, ...flags }: WithPool<JobClientFlags>) {
    const { jobs } = await import('./compute/index.ts')
    return await jobs(pool, flags)
  },
}

const job: ShellCommand = {
  ...shellOf('job'),
  async run({ pool, job: idOrName, ...flags }: WithPool<JobFlags> & { job: string }) {
    const { job } = await import('./compute/index.ts')
    return await job(pool, idOrName, flags)
  },
}

function shellOf(name: CommandName): Omit<ShellCommand, 'run'> {
  const { shell } = commands[name] as { readonly shell?: Shell }
  if (shell === undefined) throw new Error(`${name} is no command of the command line`)
  return { name: shell.name ?? name, about: shell.about, operands: [POOL, ...(shell.operands ?? [])], flags: shell.flags }
}

/** In the order of the help. */
export const shellCommands: readonly ShellCommand[] = [
  join,
  demo,
  ...(['members', 'status', 'health', 'elect', 'signal'] as const).map(asking),
  top,
  ...(['maybeDead', 'keys', 'tag', 'event', 'query', 'terminate', 'leave'] as const).map(asking),
  work,
  submit,
  jobs,
  job,
  keygen,
  simulate,
  completion,
]
