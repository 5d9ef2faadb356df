import { Argument, Command, Help, Option } from 'commander'
import {
  blobOf,
  collect,
  countOf,
  durationOf,
  handlerOf,
  httpOf,
  keepOf,
  limitOf,
  membersOf,
  ticketsOf,
  votesOf,
  workersOf,
} from './arguments.ts'
import { applyConfig } from './config-file.ts'
import type { MemberFilter } from './agent/roster.ts'
import type { JobFlags } from './compute/jobs.ts'
import type { SendFlags } from './compute/send.ts'
import type { SubmitFlags } from './compute/submit.ts'
import type { WorkFlags } from './compute/work.ts'
import type { NodeFlags } from './control/client.ts'
import type { AskFlags, ElectFlags, KeysCommand, QueryFlags } from './control/ask.ts'
import type { DemoFlags } from './demo/demo.ts'
import type { JoinFlags } from './join.ts'
import type { KeygenFlags } from './keygen.ts'
import type { Shell } from './reference/completion.ts'
import type { SimulateFlags } from './simulate/simulate.ts'
import { FORMATS, LEVELS } from './log/log.ts'
import { UsageError } from './base/usage-error.ts'

/**
 * Returns the commands and their flags. `script` is the started file, for `jel demo`; `done` takes
 * the exit status.
 */
export function commandLine(script: string, version: string, done: (status: number) => void): Command {
  const program = new Command('jel')
    .description('A pool of peers with no one in charge: join it, watch it, elect in it.')
    .version(version)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .configureHelp({ optionDescription: describeOption })

  asNode(entering(program, 'join', 'join a pool and tell what happens in it, until SIGINT, SIGTERM or the end of standard input')).action(
    async (pool: string, flags: JoinFlags) => {
      const { join } = await import('./join.ts')
      done(await join(pool, { ...flags, version }))
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
        const { demo } = await import('./demo/demo.ts')
        done(await demo(script, flags))
        return
      }
      if (part !== 'compute') throw new UsageError(`there is no demo ${JSON.stringify(part)}; there is jel demo, and jel demo compute`)
      const { demoCompute } = await import('./compute/index.ts')
      done(await demoCompute(script, flags))
    })

  asking(program, done)
  computing(program, version, done)

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
      const { simulate } = await import('./simulate/simulate.ts')
      done(await simulate(file, flags))
    })

  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'whose words are completed').choices(['bash', 'zsh', 'fish']))
    .description('print a script that has a shell complete commands and flags, as in source <(jel completion bash)')
    .action(async (shell: Shell) => {
      const { completionOf } = await import('./reference/completion.ts')
      process.stdout.write(completionOf(program, shell))
    })

  return program
}

/** Omits the default of a list that is empty without the flag. */
function describeOption(option: Option): string {
  return Help.prototype.optionDescription(option).replace(/ \(default: (?:\[\]|\{\})\)$/u, '')
}

/** Adds a command that enters a pool. */
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
    .option('--key-file <file>', 'key of a private pool, as jel keygen makes it; repeated: further keys that let others in', collect, [])
}

/** Adds the flags of a command that runs a node until it stops. */
function asNode(command: Command): Command {
  return command
    .option('--location <levels>', 'from fine to coarse, as in node7@rack2@delft@nl (default: the host name)')
    .option('--tag <text>', 'text that all members get to know, at most 1 KiB')
    .option('--elect <name>', 'be a candidate in an election; may be repeated', collect, [])
    .option('--identity <file>', 'keep this node’s key and incarnation in a file')
    .option('--announce <address>', 'where others reach this node instead, host:port or a multiaddr; may be repeated', collect, [])
    .option('--port-mapping', 'have the router map a port to this node (UPnP)')
    .option('--allow <id>', 'of a node that may connect, if not all may; may be repeated', collect, [])
    .option('--allow-file <file>', 'the same, one id a line')
    .option('--require <count>', 'end with status 1 unless so many members are here, this node included, within --timeout', membersOf)
    .option('--timeout <seconds>', 'how long --require may take (default: 30)', durationOf)
    .option('--pool-size <count>', 'how many members the pool is for: who comes later is refused', membersOf)
    .option('--found', 'where no bootstrap address lets this node in, it is the pool and stands in its elections')
    .option('--for <seconds>', 'leave after this time', durationOf)
    .option('--control <path>', 'where to listen for commands of this user (default: a path that jel members and others find)')
    .option('--no-control', 'listen for none')
    .option('--on <event=command>', 'run a command for each such event, as in joined,left=./script.sh; may be repeated', handlerOf, [])
    .addOption(new Option('--log <level>', 'write a log of such lines and graver ones (default: silent)').choices(LEVELS))
    .addOption(new Option('--log-format <format>', 'of its lines (default: text)').choices(FORMATS))
    .option('--log-file <path>', 'where lines are added instead of standard error')
    .option('--http <ip:port>', 'serve a page, /metrics, /health and /ready there, read-only; on loopback unless others may see it', httpOf)
    .option('--json', 'one JSON object a line; commands on standard input')
    .option('--config <file>', 'flags as a JSON object; those of the command line count more')
    .hook('preAction', applyConfig)
}

/** Adds the flags of a command that asks a node on this machine. */
function toRunningNode(command: Command): Command {
  return command
    .option('--node <id>', 'the end of the id of the node that is asked, where several run here')
    .option('--control <path>', 'its control socket, where it was given one')
}

/** Adds the commands that talk to a node on this machine. */
function asking(program: Command, done: (status: number) => void): void {
  const asks = (name: string, description: string): Command =>
    toRunningNode(program.command(name).argument('<pool>', 'name of the pool'))
      .description(`${description} (asks the node of that pool that runs here)`)
      .option('--timeout <seconds>', 'how long the answer may take (default: as long as it takes)', durationOf)
      .option('--json', 'one JSON object a line')

  asks('members', 'list the members')
    .option('--location <levels>', 'only those whose location ends so, as in delft@nl')
    .option('--tag <expression>', 'only those whose tag matches this regular expression')
    .addOption(new Option('--state <state>', 'instead of those that are here').choices(['here', 'left', 'died', 'all']))
    .action(async (pool: string, flags: AskFlags & MemberFilter) => {
      const { members } = await import('./control/ask.ts')
      done(await members(pool, flags))
    })
  asks('status', 'say who this node is and how it goes').action(async (pool: string, flags: AskFlags) => {
    const { status } = await import('./control/ask.ts')
    done(await status(pool, flags))
  })
  asks('health', 'say how well this node is connected; status 1 if it reaches nobody or a minority').action(
    async (pool: string, flags: AskFlags) => {
      const { health } = await import('./control/ask.ts')
      done(await health(pool, flags))
    },
  )
  asks('elect', 'make this node a candidate, and wait for who is elected')
    .argument('<election>', 'name of the election')
    .option('--result', 'wait for the winner, and be no candidate')
    .option('--withdraw', 'be no candidate any more')
    .action(async (pool: string, election: string, flags: ElectFlags) => {
      const { elect } = await import('./control/ask.ts')
      done(await elect(pool, election, flags))
    })
  asks('signal', 'send a signal to members, and wait until they have it')
    .argument('<name>', 'of the signal')
    .argument('<ids...>', 'of the members')
    .action(async (pool: string, name: string, ids: string[], flags: AskFlags) => {
      const { signal } = await import('./control/ask.ts')
      done(await signal(pool, name, ids, flags))
    })
  toRunningNode(program.command('top').argument('<pool>', 'name of the pool'))
    .description('watch the pool on the terminal (asks the node of that pool that runs here)')
    .action(async (pool: string, flags: NodeFlags) => {
      const { top } = await import('./terminal/top.ts')
      done(await top(pool, flags))
    })
  asks('maybe-dead', 'have a member probed that may be dead: a hint, which kills nobody')
    .argument('<id>', 'of the member')
    .action(async (pool: string, id: string, flags: AskFlags) => {
      const { maybeDead } = await import('./control/ask.ts')
      done(await maybeDead(pool, id, flags))
    })
  asks('keys', 'list the keys of a private pool that this node has, or change them: install on all nodes, use on all, remove on all')
    .addArgument(new Argument('[what]', 'to do').choices(['list', 'install', 'use', 'remove']).default('list'))
    .argument('[key]', 'install: the file of the key; use and remove: its id, as the list has it')
    .action(async (pool: string, what: KeysCommand, key: string | undefined, flags: AskFlags) => {
      const { keys } = await import('./control/ask.ts')
      done(await keys(pool, what, key, flags))
    })
  asks('tag', 'have this node say another tag of itself, which all members get to know')
    .argument('<text>', 'at most 1 KiB')
    .action(async (pool: string, text: string, flags: AskFlags) => {
      const { tag } = await import('./control/ask.ts')
      done(await tag(pool, text, flags))
    })
  asks('event', 'tell all members something')
    .argument('<name>', 'of the event')
    .argument('[payload]', 'text, at most 1 KiB')
    .action(async (pool: string, name: string, payload: string | undefined, flags: AskFlags) => {
      const { event } = await import('./control/ask.ts')
      done(await event(pool, name, payload, flags))
    })
  toRunningNode(program.command('query').argument('<pool>', 'name of the pool'))
    .description('ask all members, and show each answer when it comes (asks the node of that pool that runs here)')
    .argument('<name>', 'of the query')
    .argument('[payload]', 'text, at most 1 KiB')
    .option('--timeout <seconds>', 'how long members may answer (default: 5, in pools of more than 500 members more)', durationOf)
    .option('--location <levels>', 'only members whose location ends so, as in delft@nl')
    .option('--tag <expression>', 'only members whose tag matches this regular expression')
    .option('--json', 'one JSON object a line')
    .action(async (pool: string, name: string, payload: string | undefined, flags: QueryFlags) => {
      const { query } = await import('./control/ask.ts')
      done(await query(pool, name, payload, flags))
    })
  asks('terminate', 'tell all members, and those that join later, that the pool is at its end: each decides what follows').action(
    async (pool: string, flags: AskFlags) => {
      const { terminate } = await import('./control/ask.ts')
      done(await terminate(pool, flags))
    },
  )
  asks('leave', 'have this node leave the pool, and wait until it has').action(async (pool: string, flags: AskFlags) => {
    const { leave } = await import('./control/ask.ts')
    done(await leave(pool, flags))
  })
}

/** The commands that compute. */
function computing(program: Command, version: string, done: (status: number) => void): void {
  const owning = (name: string, description: string): Command =>
    entering(program, name, description).option('--owner <file>', 'key that owns your jobs (default: one that is made the first time)')
  /**
   * The node of the pool that runs here does it. Without one, or with flags for entering, the
   * command enters the pool for that time.
   */
  const asking = (name: string, description: string): Command => toRunningNode(owning(name, description))

  asNode(owning('work', 'join a pool as jel join does, and run tasks of its jobs'))
    .addOption(new Option('--workers <count>', 'tasks at once (default: one a processor)').argParser(workersOf))
    .option(
      '--accept <whose>',
      'whose programs run here: own, members or the id of an owner, with all rights of this user; sandbox, anybody’s in sandboxes; may be repeated (default: own, sandbox)',
      collect,
      [],
    )
    .option(
      '--limit <what=amount>',
      'of one task time=SECONDS (600) and memory=MiB (512), of programs, inputs and blobs together disk=MiB (256); may be repeated',
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
      done(await work(pool, { ...flags, version }))
    })

  asking('submit', 'submit a job: a function of a program, and its input as JSON')
    .argument('<file>', 'the program, an ES module in JavaScript or TypeScript')
    .argument('<function>', 'a task that it exports')
    .argument('[input]', 'JSON')
    .option('--blob <name=file>', 'a file whose bytes go along: the input has its name there, for `use`; may be repeated', blobOf, {})
    .option('--name <name>', 'to find it by; the same name, program and input are the same job')
    .option('--keep <time>', 'how long the result is kept after the job’s end, as in 12 h or 7 d (default: 7 d)', keepOf)
    .addOption(
      new Option('--votes <count>', 'so many members compute each task, and what they agree on counts (default: 1)').argParser(votesOf),
    )
    .option('--detach', 'do not wait for the result')
    .option('--json', 'one JSON object a line')
    .action(async (pool: string, file: string, fn: string, input: string | undefined, flags: SubmitFlags) => {
      const { submit } = await import('./compute/index.ts')
      done(await submit(pool, file, fn, input, flags))
    })

  asking('jobs', 'list the jobs of a pool')
    .option('--json', 'one JSON object a job')
    .action(async (pool: string, flags: SendFlags) => {
      const { jobs } = await import('./compute/index.ts')
      done(await jobs(pool, flags))
    })

  asking('job', 'say how a job goes')
    .argument('<job>', 'its id or name')
    .option('--follow', 'until it ends, with its result')
    .option('--result', 'wait for its result')
    .option('--cancel', 'end it everywhere, unless it has ended; its owner only')
    .option('--forget', 'take it out of the pool, with its result; its owner only')
    .option('--suspend', 'begin nothing more of it until --resume; its owner only')
    .option('--resume', 'go on with it')
    .option('--why', 'say why it is in its state, and what waits for what')
    .option('--json', 'one JSON object a line')
    .action(async (pool: string, id: string, flags: JobFlags) => {
      const { job } = await import('./compute/index.ts')
      done(await job(pool, id, flags))
    })
}
