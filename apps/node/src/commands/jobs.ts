/**
 * The commands about jobs. On the command line they can enter a pool by themselves. There the
 * folder `compute` carries them out.
 */
import { jobFields } from '../agent/job-messages.ts'
import { blobOf, keepOf, votesOf } from '../arguments.ts'
import { command } from './command.ts'
import { ENTER_FLAGS, flag, JSON_LINES, NODE_FLAGS, OWNER, TIMEOUT, type Flag } from './flags.ts'

/**
 * The pool's node on this machine carries out the command. Without such a node, or with flags for
 * entering, the command itself enters the pool while it runs.
 */
const FLAGS: readonly Flag[] = [...ENTER_FLAGS, OWNER, ...NODE_FLAGS, TIMEOUT]

export const jobs = command({
  about: 'a job event of each job comes first',
  fields: jobFields.jobs,
  run: (fields, { agent, report, signal }) => agent.runJobCommand({ command: 'jobs', ...fields }, report, signal),
  shell: { about: 'list the jobs of a pool', flags: [...FLAGS, { ...JSON_LINES, about: 'one JSON object a job' }] },
})

export const job = command({
  about:
    'job is an id or a name; until result: wait for the result; until ended: also report progress; waits: list the tasks that members hold; logs: report what its tasks printed',
  fields: jobFields.job,
  run: (fields, { agent, report, signal }) => agent.runJobCommand({ command: 'job', ...fields }, report, signal),
  shell: {
    about: 'say how a job goes',
    operands: [flag('<job>', 'its id or name')],
    flags: [
      ...FLAGS,
      flag('--follow', 'until it ends, with its result'),
      flag('--result', 'wait for its result'),
      flag('--cancel', 'end it everywhere, unless it has ended; its owner only'),
      flag('--forget', 'take it out of the pool, with its result; its owner only'),
      flag('--suspend', 'begin nothing more of it until --resume; its owner only'),
      flag('--resume', 'go on with it'),
      flag('--logs', 'write what its tasks printed lately; with --follow until it ends'),
      flag('--why', 'say why it is in its state, and what waits for what'),
      JSON_LINES,
    ],
  },
})

export const submit = command({
  about: 'blobs are named by fields of the input; keep is milliseconds',
  fields: jobFields.submit,
  run: (fields, { agent, report, signal }) => agent.runJobCommand({ command: 'submit', ...fields }, report, signal),
  shell: {
    about: 'submit a job: a function of a program, and its input as JSON',
    operands: [
      flag('<file>', 'the program, an ES module in JavaScript or TypeScript'),
      flag('<function>', 'a task that it exports'),
      flag('[input]', 'JSON'),
    ],
    flags: [
      ...FLAGS,
      flag('--blob <name=file>', 'a file whose bytes go along: the input has its name there, for `use`; may be repeated', blobOf, {}),
      flag('--name <name>', 'to find it by; the same name, program and input are the same job'),
      flag('--keep <time>', 'how long the result is kept after the job’s end, as in 12 h or 7 d (default: 7 d)', keepOf),
      flag('--votes <count>', 'so many members compute each task, and what they agree on counts (default: 1)', votesOf),
      flag('--detach', 'do not wait for the result'),
      JSON_LINES,
    ],
  },
})
