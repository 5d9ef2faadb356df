/**
 * The commands about jobs. On the command line they also enter a pool by themselves, so the folder
 * `compute` carries them out there.
 */
import { jobFields } from '../agent/job-messages.ts'
import { blobOf, keepOf, votesOf } from '../arguments.ts'
import { defineCommand } from './command.ts'
import { ENTER_FLAGS, JSON_LINES, NODE_FLAGS, OWNER, type Flag } from './flags.ts'

/**
 * The node of the pool that runs here does it. Without one, or with flags for entering, the command
 * enters the pool for that time.
 */
const FLAGS: readonly Flag[] = [...ENTER_FLAGS, OWNER, ...NODE_FLAGS]

export const jobs = defineCommand({
  about: 'a job event of each job comes first',
  fields: jobFields.jobs,
  example: {},
  answer: 'done',
  async run(fields, { agent, report, signal }) {
    await agent.runJobCommand({ command: 'jobs', ...fields }, report, signal)
  },
  shell: { about: 'list the jobs of a pool', flags: [...FLAGS, { ...JSON_LINES, about: 'one JSON object a job' }] },
})

export const job = defineCommand({
  about: 'an id or a name; "do":"cancel", "suspend", "resume" or "forget", "until":"result" or "ended", "waits":true',
  fields: jobFields.job,
  example: { job: 'queens', until: 'ended' },
  answer: 'done',
  async run(fields, { agent, report, signal }) {
    await agent.runJobCommand({ command: 'job', ...fields }, report, signal)
  },
  shell: {
    about: 'say how a job goes',
    operands: [{ usage: '<job>', about: 'its id or name' }],
    flags: [
      ...FLAGS,
      { usage: '--follow', about: 'until it ends, with its result' },
      { usage: '--result', about: 'wait for its result' },
      { usage: '--cancel', about: 'end it everywhere, unless it has ended; its owner only' },
      { usage: '--forget', about: 'take it out of the pool, with its result; its owner only' },
      { usage: '--suspend', about: 'begin nothing more of it until --resume; its owner only' },
      { usage: '--resume', about: 'go on with it' },
      { usage: '--why', about: 'say why it is in its state, and what waits for what' },
      JSON_LINES,
    ],
  },
})

export const submit = defineCommand({
  about: '"blobs" is an object of paths, "keep" ms, "votes" a number',
  fields: jobFields.submit,
  example: { file: '/…/sum.ts', function: 'sum', input: 1000, name: 'sum', until: 'ended' },
  answer: 'done',
  async run(fields, { agent, report, signal }) {
    await agent.runJobCommand({ command: 'submit', ...fields }, report, signal)
  },
  shell: {
    about: 'submit a job: a function of a program, and its input as JSON',
    operands: [
      { usage: '<file>', about: 'the program, an ES module in JavaScript or TypeScript' },
      { usage: '<function>', about: 'a task that it exports' },
      { usage: '[input]', about: 'JSON' },
    ],
    flags: [
      ...FLAGS,
      {
        usage: '--blob <name=file>',
        about: 'a file whose bytes go along: the input has its name there, for `use`; may be repeated',
        parse: blobOf,
        initial: {},
      },
      { usage: '--name <name>', about: 'to find it by; the same name, program and input are the same job' },
      {
        usage: '--keep <time>',
        about: 'how long the result is kept after the job’s end, as in 12 h or 7 d (default: 7 d)',
        parse: keepOf,
      },
      {
        usage: '--votes <count>',
        about: 'so many members compute each task, and what they agree on counts (default: 1)',
        parse: votesOf,
      },
      { usage: '--detach', about: 'do not wait for the result' },
      JSON_LINES,
    ],
  },
})
