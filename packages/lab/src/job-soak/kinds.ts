/** The kinds of jobs, each with its right outcome. */

/** The end of a job, as a member reports it. */
export type Outcome =
  | { readonly event: 'done'; readonly result: unknown }
  | { readonly event: 'failed'; readonly message: string }
  | { readonly event: 'cancelled' }

export interface Kind {
  readonly name: string
  /** The function of the program. */
  readonly fn: string
  readonly input: (random: () => number) => object
  readonly votes?: number
  /** Time from the submission to the cancellation of the running job, ms. */
  readonly cancelAfter?: number
  /** Time for which the pool keeps the job, ms. */
  readonly keep: number
  readonly isRight: (outcome: Outcome, input: object) => boolean
}

const HOUR = 3_600_000
/** ms: longer than a job takes while members come and go all the time. */
const SHORT = 180_000

const gives =
  <Input>(value: (input: Input) => unknown) =>
  (outcome: Outcome, input: object): boolean =>
    outcome.event === 'done' && outcome.result === value(input as Input)
const sumOf = gives(({ tasks }: { tasks: number }) => (tasks * (tasks - 1)) / 2)

export const KINDS: readonly Kind[] = [
  { name: 'wide', fn: 'wide', input: (random) => ({ tasks: 20 + Math.floor(random() * 60), ms: 50 }), keep: HOUR, isRight: sumOf },
  { name: 'voted', fn: 'wide', votes: 2, input: () => ({ tasks: 10, ms: 20 }), keep: HOUR, isRight: sumOf },
  { name: 'brief', fn: 'wide', input: () => ({ tasks: 10, ms: 20 }), keep: SHORT, isRight: sumOf },
  { name: 'deep', fn: 'deep', input: () => ({ depth: 6 }), keep: HOUR, isRight: gives(({ depth }: { depth: number }) => 2 ** depth) },
  {
    name: 'rounds',
    fn: 'rounds',
    input: () => ({ count: 6, width: 12 }),
    keep: HOUR,
    isRight: gives(({ count }: { count: number }) => count),
  },
  {
    name: 'bulky',
    fn: 'bulky',
    input: (random) => ({ tasks: 6, text: 'x'.repeat(300_000 + Math.floor(random() * 500_000)) }),
    keep: HOUR,
    isRight: gives(({ tasks, text }: { tasks: number; text: string }) => tasks * (text.length + 1)),
  },
  {
    name: 'failing',
    fn: 'failing',
    input: () => ({ tasks: 6 }),
    keep: HOUR,
    isRight: (outcome) => outcome.event === 'failed' && outcome.message.includes('as it should'),
  },
  {
    name: 'cancelled',
    fn: 'wide',
    // Minutes of work for the pool: the cancellation comes first even on a busy machine.
    input: () => ({ tasks: 3_000, ms: 400 }),
    cancelAfter: 5_000,
    keep: HOUR,
    isRight: (outcome) => outcome.event === 'cancelled',
  },
]
