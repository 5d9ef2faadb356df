/**
 * The commands of the command line: those of `commands/table.ts`, and some with code of their own,
 * such as `join`, `top` and `keygen`.
 */
import type { Command as Program } from 'commander'
import {
  adminOf,
  constantOf,
  countOf,
  countOfMembers,
  durationOf,
  handlerOf,
  httpOf,
  keepOf,
  limitOf,
  membersOf,
  offerOf,
  tagOf,
  ticketsOf,
  workersOf,
} from './arguments.ts'
import type { Shell } from './commands/command.ts'
import { ASK_FLAGS, ENTER_FLAGS, flag, JSON_LINES, NODE_FLAGS, OWNER, POOL, repeated, type Flag } from './commands/flags.ts'
import { commands, type CommandName } from './commands/table.ts'
import type { JobClientFlags } from './compute/job-client.ts'
import type { JobFlags } from './compute/jobs.ts'
import type { MapFlags } from './compute/map.ts'
import type { PolicyFlags } from './compute/policy.ts'
import type { SubmitFlags } from './compute/submit.ts'
import type { WorkFlags } from './compute/work.ts'
import type { AskGiven } from './control/ask.ts'
import type { NodeFlags } from './control/client.ts'
import type { DemoFlags } from './demo/demo.ts'
import type { JoinFlags } from './join.ts'
import { foundersOf } from './ledger-options.ts'
import type { KeygenFlags } from './keygen.ts'
import { FORMATS, LEVELS } from './log/log.ts'
import type { ShellName } from './reference/completion.ts'
import type { SimulateFlags } from './simulate/report.ts'
import { UsageError } from './base/usage-error.ts'

/** The process that runs a command. */
interface Surroundings {
  /** The path of the script of `jel`. */
  readonly script: string
  readonly version: string
  readonly program: Program
}

export interface ShellCommand {
  readonly name: string
  readonly about: string
  readonly operands: readonly Flag[]
  readonly flags: readonly Flag[]
  /** Takes operands and flags, by name. Returns the exit status; undefined is 0. */
  run(given: never, surroundings: Surroundings): Promise<number | void>
}

type WithPool<Flags> = Flags & { readonly pool: string }

const RUNS_HERE = '(asks the node of this pool on this machine)'

/** The flag that names a file with the other flags. */
export const CONFIG: Flag = flag('--config <file>', 'a file with flags as a JSON object; flags of the command line override them')

/** The flags of a command that runs a node until it stops. */
const RUN_FLAGS: readonly Flag[] = [
  flag('--location <levels>', 'the location of this node, from fine to coarse, as in node7@rack2@delft@nl (default: the host name)'),
  flag('--tag <text>', 'the tag of this node: a text that all members see, at most 1 KiB', tagOf),
  repeated('--elect <name>', 'be a candidate in an election; may be repeated'),
  flag('--identity <file>', 'keep this node’s key and incarnation in a file'),
  repeated(
    '--announce <address>',
    'others reach this node at this address instead of the listen address; host:port or a multiaddr; may be repeated',
  ),
  flag('--port-mapping', 'make the router map a port to this node (UPnP)'),
  repeated('--allow <id>', 'the id of a node that may connect; nodes that are not listed are refused; may be repeated'),
  flag('--allow-file <file>', 'a file with such ids, one a line'),
  flag('--admin <id>', 'carry out the orders of this administrator, for example those of jel keys --all; may be repeated', adminOf, []),
  flag('--require <count>', 'end with status 1 unless this many members, this node included, are here within --timeout', membersOf),
  flag('--timeout <seconds>', 'the time to wait for the members of --require, and for the ledger (default: 30)', durationOf),
  flag('--pool-size <count>', 'the size of the pool; nodes that come later are refused', membersOf),
  flag('--found', 'start a new pool if no bootstrap address lets this node in'),
  flag('--joins <level>', 'the consistency of joins and ends; reliable: in one order at all nodes that ask for it (default: unreliable)', [
    'reliable',
    'unreliable',
  ]),
  flag('--elections <level>', 'the consistency of elections; uniform: one winner an epoch, for good (default: non-uniform)', [
    'uniform',
    'non-uniform',
  ]),
  flag('--found-ledger', 'found the ledger for --joins reliable or --elections uniform, if there is none; give this flag to one node only'),
  flag(
    '--founders <ids>',
    'the ids of an odd number of nodes, more than half of which found the ledger; with commas, and the same at all nodes',
    foundersOf,
    [],
  ),
  flag('--voters <count>', 'the largest number of nodes that hold the ledger, odd, 1 to 15 (default: 5)', countOfMembers),
  flag('--no-vote', 'hold no ledger: only follow the one that others hold'),
  flag(
    '--constant <name=value>',
    'state a constant of this node for conditions, as in room=basement or gpus=2; may be repeated',
    constantOf,
    {},
  ),
  flag('--offer <name=amount>', 'let other members lease a capacity of this node, as in cpus=8; may be repeated', offerOf, {}),
  repeated(
    '--runs <whose>',
    'members whose programs (jel run) may run here, with all rights of this user: members, or a whole id; may be repeated (default: none). --offer ranks=2 lets two run at once',
  ),
  flag('--for <seconds>', 'leave after this time', durationOf),
  flag('--control <path>', 'the socket for commands of this user (default: the place where other commands look for it)'),
  flag('--no-control', 'don’t listen for commands'),
  flag('--on <event=command>', 'run a command for each such event, as in joined,left=./script.sh; may be repeated', handlerOf, []),
  flag('--log <level>', 'write a log of this level and of more severe levels (default: silent)', LEVELS),
  flag('--log-format <format>', 'the format of log lines (default: text)', FORMATS),
  flag('--log-file <path>', 'append log lines to this file, in place of standard error'),
  flag('--web <ip:port>', 'let browsers take part: serve a page there that makes its tab a member', httpOf),
  repeated('--web-origin <origin>', 'another site whose pages may connect, as in https://pool.example.org; may be repeated'),
  flag('--web-cert <file>', 'the certificate of --web, in PEM, with its chain; then browsers use https'),
  flag('--web-key <file>', 'the key of that certificate, in PEM'),
  flag('--http <ip:port>', 'serve a read-only page, /metrics, /health and /ready; use loopback to keep others out', httpOf),
  flag('--json', 'one JSON object a line; commands on standard input'),
  CONFIG,
]

const join: ShellCommand = {
  name: 'join',
  about: 'join a pool and report what happens in it, until SIGINT, SIGTERM or the end of standard input',
  operands: [POOL],
  flags: [...ENTER_FLAGS, ...RUN_FLAGS],
  run: async ({ pool, ...flags }: WithPool<JoinFlags>, { version }) => await (await import('./join.ts')).join(pool, { ...flags, version }),
}

const work: ShellCommand = {
  name: 'work',
  about: 'join a pool as jel join does, and run tasks of its jobs',
  operands: [POOL],
  flags: [
    ...ENTER_FLAGS,
    OWNER,
    ...RUN_FLAGS,
    flag('--workers <count>', 'the number of tasks that run at once (default: one per processor)', workersOf),
    repeated(
      '--accept <whose>',
      'the owners whose programs run here: own, members or an owner id, with all rights of this user; sandbox: anybody, in a sandbox; may be repeated (default: own, sandbox)',
    ),
    flag(
      '--limit <what=amount>',
      'bounds: time=SECONDS (600) and memory=MiB (512) of a task; disk=MiB (256) of all files of jobs; may be repeated',
      limitOf,
      {},
    ),
    flag(
      '--tickets <owner=count>',
      'share processor time by owner, in the ratio of tickets: own=3 or ID=3; other owners have 1 ticket (default: the oldest job first); may be repeated',
      ticketsOf,
    ),
    flag('--show-output', 'print the output of tasks that run here, each line with its task'),
  ],
  run: async ({ pool, ...flags }: WithPool<WorkFlags>, { version }) =>
    await (await import('./compute/work.ts')).work(pool, { ...flags, version }),
}

const demo: ShellCommand = {
  name: 'demo',
  about: 'start a pool of node processes on this machine and show what they do',
  operands: [flag('[part]', 'compute: a job that outlives a worker, the member that runs its first task, and its submitter')],
  flags: [flag('--nodes <count>', 'the number of nodes, 3 to 50', countOf, 8), { ...JSON_LINES, about: 'one JSON object a step' }],
  async run({ part, ...flags }: DemoFlags & { readonly part?: string }, { script }) {
    if (part === undefined) {
      const { demo } = await import('./demo/demo.ts')
      return await demo(script, flags)
    }
    if (part !== 'compute') throw new UsageError(`there is no demo ${JSON.stringify(part)}; there is jel demo, and jel demo compute`)
    const { demoCompute } = await import('./compute/demo.ts')
    return await demoCompute(script, flags)
  },
}

const top: ShellCommand = {
  name: 'top',
  about: `watch the pool on the terminal ${RUNS_HERE}`,
  operands: [POOL],
  flags: NODE_FLAGS,
  run: async ({ pool, ...flags }: WithPool<NodeFlags>) => await (await import('./terminal/top.ts')).top(pool, flags),
}

const keygen: ShellCommand = {
  name: 'keygen',
  about: 'make the key of a private pool (printed, or written to a new file), or an identity',
  operands: [],
  flags: [
    flag('--key-file <file>', 'write the pool key to this new file'),
    flag('--identity <file>', 'make an identity in this new file instead'),
  ],
  run: async (flags: KeygenFlags) => await (await import('./keygen.ts')).keygen(flags),
}

const simulate: ShellCommand = {
  name: 'simulate',
  about: 'run a scenario in the simulator and report the result',
  operands: [flag('[file]', 'a scenario file, or the name of one that is shipped')],
  flags: [
    flag('--list', 'show the scenarios that are shipped'),
    flag('--seeds <range>', 'the seeds, in place of those of the file, as in 7 or 1..20'),
    repeated('--set <key=value>', 'replace a value of the file, as in nodes=2000 or network.loss=5%; may be repeated'),
    repeated('--sweep <key=a,b,c>', 'run once for each value; may be repeated, for all combinations'),
    flag('--out <dir>', 'write a report, figures and plots to this new folder'),
    flag('--trace', 'with --out: also write the notifications of all nodes, as JSON lines'),
    flag('--workers <count>', 'the number of threads (default: one per processor)', workersOf),
    flag('--replay <seed[:hash]>', 'repeat one run: the seed and the hash that a failure prints'),
    flag('--shrink <file>', 'with --replay: write the smallest scenario that fails in the same way to this new file'),
  ],
  run: async ({ file, ...flags }: SimulateFlags & { readonly file?: string }) =>
    await (await import('./simulate/simulate.ts')).simulate(file, flags),
}

const completion: ShellCommand = {
  name: 'completion',
  about: 'print a script that makes a shell complete commands and flags, as in source <(jel completion bash)',
  operands: [flag('<shell>', 'the shell for which the script is', ['bash', 'zsh', 'fish'])],
  flags: [],
  run: async ({ shell }: { readonly shell: ShellName }, { program }) =>
    void process.stdout.write((await import('./reference/completion.ts')).completionOf(program, shell)),
}

/** Returns a command of `commands/table.ts`. The command asks the pool's node on this machine. */
function asking(name: CommandName): ShellCommand {
  const { flags, about, ...common } = shellOf(name)
  return {
    ...common,
    about: `${about} ${RUNS_HERE}`,
    flags: [...NODE_FLAGS, ...flags],
    run: async (given: AskGiven) => await (await import('./control/ask.ts')).ask(name, given),
  }
}

type LedgerGiven = AskGiven & { readonly file?: string }

/** `jel ledger verify FILE` needs no node. Without a file, `verify` is the name of a pool. */
const ledger: ShellCommand = {
  ...asking('ledger'),
  operands: [
    flag('<pool>', 'the name of the pool, or the word verify if a file follows'),
    flag('[file]', 'the file to check, such as node.id.ledger; the check needs no node'),
  ],
  async run({ file, ...given }: LedgerGiven, surroundings) {
    if (file === undefined) return await asking('ledger').run(given as never, surroundings)
    if (given.pool !== 'verify') throw new UsageError('ledger: a file follows the word verify, as in jel ledger verify node.id.ledger')
    await (await import('./ledger-file.ts')).verifyLedger(file, given)
  },
}

const submit: ShellCommand = {
  ...shellOf('submit'),
  run: async ({
    pool,
    file,
    function: name,
    input,
    ...flags
  }: WithPool<SubmitFlags> & { file: string; function: string; input?: string }) =>
    await (await import('./compute/submit.ts')).submit(pool, file, name, input, flags),
}

const map: ShellCommand = {
  ...shellOf('map'),
  run: async ({ pool, file, function: name, ...flags }: WithPool<MapFlags> & { file?: string; function?: string }) =>
    await (await import('./compute/map.ts')).map(pool, file, name, flags),
}

const jobs: ShellCommand = {
  ...shellOf('jobs'),
  run: async ({ pool, ...flags }: WithPool<JobClientFlags>) => await (await import('./compute/jobs.ts')).jobs(pool, flags),
}

const job: ShellCommand = {
  ...shellOf('job'),
  run: async ({ pool, job: idOrName, ...flags }: WithPool<JobFlags> & { job: string }) =>
    await (await import('./compute/jobs.ts')).job(pool, idOrName, flags),
}

const policy: ShellCommand = {
  name: 'policy',
  about: 'show how administrators divide the processor time of workers among the owners of jobs, or divide it',
  operands: [POOL],
  flags: [
    repeated('--share <owner=share>', 'the share of an owner, by its id or the end of its id; only the ratio counts; may be repeated'),
    flag(
      '--other <share>',
      'the share of all owners without a --share together (default: 0, so they get only the time that the others leave)',
    ),
    flag('--half-life <time>', 'use of processor time counts half after this time, as in 12 h or 7 d (default: it counts for ever)'),
    repeated(
      '--override <owner=tickets>',
      'tickets of an owner in addition to those of its share; all shares together have 1000 tickets; may be repeated',
    ),
    flag(
      '--compensation <factor>',
      'an owner that used less than its share gets at most this multiple of its share (default: all that others leave)',
    ),
    flag('--keep <time>', 'how long the shares are valid, as in 12 h or 7 d (default: 31 d)', keepOf),
    flag('--withdraw', 'end the shares of this administrator'),
    flag(
      '--admin-key <file>',
      'the administrator’s key, as jel keygen --identity makes it; workers that have its id in --admin obey the shares',
    ),
    ...ENTER_FLAGS,
    ...NODE_FLAGS,
    { ...JSON_LINES, about: 'one JSON object an administrator' },
  ],
  run: async ({ pool, ...flags }: WithPool<PolicyFlags>) => await (await import('./compute/policy.ts')).policy(pool, flags),
}

function shellOf(name: CommandName): Omit<ShellCommand, 'run'> {
  const { shell } = commands[name] as { readonly shell?: Shell }
  if (shell === undefined) throw new Error(`${name} is no command of the command line`)
  return { name: shell.name ?? name, about: shell.about, operands: [POOL, ...(shell.operands ?? [])], flags: shell.flags ?? ASK_FLAGS }
}

/** The commands on jobs: they need no node of the pool on this machine. */
const onJobs: readonly ShellCommand[] = [map, submit, jobs, job]

/** All other commands of the table that a person may give. */
const onNode = (Object.keys(commands) as CommandName[])
  .filter((name) => 'shell' in commands[name] && !onJobs.some((command) => command.name === name))
  .map((name) => (name === 'ledger' ? ledger : asking(name)))

/** All commands, in the order of the help. */
export const shellCommands: readonly ShellCommand[] = [join, demo, top, ...onNode, work, ...onJobs, policy, keygen, simulate, completion]
