/**
 * The commands about jobs. On the command line they can enter a pool by themselves. There the
 * folder `compute` carries them out.
 */
import { jobFields } from '../agent/job-messages.ts'
import { blobOf, keepOf, retriesOf, votesOf } from '../arguments.ts'
import { command } from './command.ts'
import { ENTER_FLAGS, flag, JSON_LINES, NODE_FLAGS, OWNER, repeated, TIMEOUT, type Flag } from './flags.ts'

/**
 * The pool's node on this machine carries out the command. Without such a node, or with flags for
 * entering, the command itself enters the pool while it runs.
 */
const FLAGS: readonly Flag[] = [...ENTER_FLAGS, OWNER, ...NODE_FLAGS, TIMEOUT]

export const jobs = command({
  about: 'a job event of each job comes first; work: one event jobs instead, with the work on each job by function and member',
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

export const map = command({
  about:
    'call a function of file, or the command shell, once for each input; keep is milliseconds; inputs in the command, or in the file inputsFile, a JSON array; collect: patterns of files that the command makes, written to folder collectTo',
  fields: jobFields.map,
  run: (fields, { agent, report, signal }) => agent.runJobCommand({ command: 'map', ...fields }, report, signal),
  shell: {
    about: 'call a function of a file, or a command, once for each input, at the members of a pool',
    operands: [
      flag('[file]', 'an ES module in JavaScript or TypeScript'),
      flag('[function]', 'a function of one input that it exports, or a task'),
    ],
    flags: [
      flag(
        '--inputs <file>',
        'a table (.csv, .tsv), the rows of an array (.npy), a JSON array, or one JSON value a line; - is standard input',
      ),
      flag('--command <command>', 'for the shell, in place of a function; {} stands for the input, quoted'),
      repeated('--files <file>', 'a file that the command finds in its working folder; may be repeated'),
      flag('--persistent', 'start the command once for many inputs, which are lines of its standard input'),
      flag('--container <image>', 'run the command in a container of this image; workers need podman or docker'),
      repeated('--collect <pattern>', 'files that the command makes for you, as in out/*.csv; may be repeated'),
      flag('--collect-to <folder>', 'where they are written, in a folder for each input (default: the name of the job)'),
      flag('--output <file>', 'where the values are written instead of standard output; to .npy as one array'),
      flag('--csv', 'write a table instead of one JSON object a line'),
      flag('--each', 'write each outcome as soon as it is known, with the place of its input'),
      flag('--keep-going', 'go on if it fails for an input'),
      flag('--retries <count>', 'how often a failed input is tried again (default: 0)', retriesOf),
      flag('--name <name>', 'to find it by; the same name, file and inputs are the same job, so the command continues it'),
      ...FLAGS,
      JSON_LINES,
    ],
  },
})

export const submit = command({
  about: 'blobs are named by fields of the input; inputFile in place of input; outputFile needs until: ended; keep is milliseconds',
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
      flag('--input-file <file>', 'its input: JSON (.json), an array of NumPy (.npy) as { shape, data }, or the bytes of the file'),
      flag('--output <file>', 'where its result is written: .npy for a typed array or { shape, data }, bytes, or JSON'),
      flag('--blob <name=file>', 'a file whose bytes go along: the input has its name there, for `use`; may be repeated', blobOf, {}),
      flag('--name <name>', 'to find it by; the same name, program and input are the same job'),
      flag('--keep <time>', 'how long the result is kept after the job’s end, as in 12 h or 7 d (default: 7 d)', keepOf),
      flag('--votes <count>', 'so many members compute each task, and what they agree on counts (default: 1)', votesOf),
      flag('--detach', 'do not wait for the result'),
      JSON_LINES,
    ],
  },
})
