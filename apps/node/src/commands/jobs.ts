/**
 * The commands about jobs. On the command line they can enter a pool by themselves. There the
 * folder `compute` carries them out.
 */
import { jobFields } from '../events/job-messages.ts'
import { blobOf, keepOf, maxTimeOf, retriesOf, votesOf } from '../arguments.ts'
import { command } from './command.ts'
import { ENTER_FLAGS, flag, JSON_LINES, NODE_FLAGS, OWNER, repeated, TIMEOUT, type Flag } from './flags.ts'

/**
 * The pool's node on this machine carries out the command. Without such a node, or with flags for
 * entering, the command itself enters the pool while it runs.
 */
const FLAGS: readonly Flag[] = [...ENTER_FLAGS, OWNER, ...NODE_FLAGS, TIMEOUT]

const REQUIREMENTS = flag(
  '--requirements <condition>',
  'only members that meet a condition run the job, as in "system.memory.limit >= 8e9 && host.arch == \'arm64\'"',
)

const AFTER = repeated('--after <job>', 'begin once this job has its result; an id or a name; may be repeated')
const MAX_TIME = flag('--max-time <time>', 'end the job if it runs for longer, as in 90 s, 30 min or 2 h', maxTimeOf)

export const jobs = command({
  about: 'list the jobs, each in an event job; work: one event jobs instead, with the work on each job by function and member',
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
    about: 'show the state of a job',
    operands: [flag('<job>', 'the id or the name of the job')],
    flags: [
      ...FLAGS,
      flag('--follow', 'report its progress until it ends, and its result'),
      flag('--result', 'wait for its result'),
      flag('--cancel', 'end it everywhere, unless it has ended; its owner only'),
      flag('--forget', 'take it out of the pool, with its result; its owner only'),
      flag('--suspend', 'begin nothing more of it until --resume; its owner only'),
      flag('--resume', 'continue the job'),
      flag('--logs', 'write the latest output of its tasks; with --follow until the job ends'),
      flag('--why', 'show why the job is in its state, and which tasks wait for which others'),
      JSON_LINES,
    ],
  },
})

export const map = command({
  about:
    'call a function of file, or the shell command in shell, once for each input; keep is a time in ms; the inputs are in inputs, or in the file inputsFile as a JSON array; collect: patterns of files that the command makes, written to the folder collectTo',
  fields: jobFields.map,
  run: (fields, { agent, report, signal }) => agent.runJobCommand({ command: 'map', ...fields }, report, signal),
  shell: {
    about: 'call a function of a file, or a command, once for each input, on the members of a pool',
    operands: [
      flag('[file]', 'an ES module in JavaScript or TypeScript'),
      flag('[function]', 'a function of one input that it exports, or a task'),
    ],
    flags: [
      flag(
        '--inputs <file>',
        'a table (.csv, .tsv), the rows of an array (.npy), a JSON array, or one JSON value a line; - is standard input',
      ),
      flag('--command <command>', 'a shell command in place of a function; {} stands for the quoted input'),
      repeated('--files <file>', 'a file that the command finds in its working folder; may be repeated'),
      flag('--persistent', 'start the command once for many inputs, which are lines of its standard input'),
      flag('--container <image>', 'run the command in a container of this image; workers need podman or docker'),
      repeated('--collect <pattern>', 'files that the command makes for you, as in out/*.csv; may be repeated'),
      flag('--collect-to <folder>', 'the folder for these files, with a folder for each input in it (default: the name of the job)'),
      flag('--output <file>', 'the file for the values, in place of standard output; .npy: as one array'),
      flag('--csv', 'write a table instead of one JSON object a line'),
      flag('--each', 'write each outcome as soon as it is known, with the index of its input'),
      flag('--keep-going', 'go on if the function or the command fails for an input'),
      flag('--retries <count>', 'the number of further tries for a failed input (default: 0)', retriesOf),
      flag('--name <name>', 'the name of the job; jel map with the same name, file and inputs continues this job'),
      REQUIREMENTS,
      AFTER,
      MAX_TIME,
      ...FLAGS,
      JSON_LINES,
    ],
  },
})

export const submit = command({
  about:
    'blobs: for fields of the input, the paths of the files to which they refer; inputFile replaces input; outputFile needs until: ended; keep is a time in ms',
  fields: jobFields.submit,
  run: (fields, { agent, report, signal }) => agent.runJobCommand({ command: 'submit', ...fields }, report, signal),
  shell: {
    about: 'submit a job: a function of a program, and its input as JSON',
    operands: [
      flag('<file>', 'the program, an ES module in JavaScript or TypeScript'),
      flag('<function>', 'a task that it exports'),
      flag('[input]', 'the input as JSON'),
    ],
    flags: [
      ...FLAGS,
      flag('--input-file <file>', 'the file of the input: JSON (.json), a NumPy array (.npy) as { shape, data }, or else its bytes'),
      flag('--output <file>', 'the file for the result: .npy for a typed array or { shape, data }, bytes, or JSON'),
      flag(
        '--blob <name=file>',
        'a file whose bytes go with the job; the field of this name in the input refers to them, for `use`; may be repeated',
        blobOf,
        {},
      ),
      flag('--name <name>', 'the name of the job; the same name, program and input are the same job'),
      flag('--keep <time>', 'the time for which the result is kept after the job’s end, as in 12 h or 7 d (default: 7 d)', keepOf),
      flag(
        '--votes <count>',
        'the number of members that compute each task; the value on which they agree counts; browser tabs need 2 or more (default: 1)',
        votesOf,
      ),
      REQUIREMENTS,
      AFTER,
      MAX_TIME,
      flag('--detach', 'do not wait for the result'),
      JSON_LINES,
    ],
  },
})
