import { checkRequirements } from './requirements.ts'
import { BlobTooLargeError, ProgramError, VotesError } from '../errors.ts'
import { describeProgram, findFunction } from '../executors/describe.ts'
import type { ProgramFunction } from '../program/messages.ts'
import { needsOf } from '../executors/program-needs.ts'
import { ProgramStack } from '../executors/program-stack.ts'
import type { SubmitOptions } from '../options.ts'
import { blobsIn } from '../program/blob.ts'
import { encodeValue } from '../program/values.ts'
import { listBlobs, MAX_PART_BYTES, readBlobList } from './blob-list.ts'
import type { BlobStore } from './blob-store.ts'
import { bundleProgram } from './bundle.ts'
import { DEFAULT_KEEP, MAX_INLINE_INPUT, MAX_VOTES, type JobRecord } from './job-record.ts'

/** A job that is ready for publication. */
export interface Submission {
  readonly job: JobRecord
  /** The globals and modules that the program needs, and that no sandbox offers. */
  readonly needs: readonly string[]
  /** The hashes of all files of the job. */
  readonly hashes: readonly string[]
}

/** Makes jobs of programs, functions and inputs. Stores the files of the jobs at this member. */
export class Submissions {
  readonly #store: BlobStore
  /**
   * The exports of each program, by its hash. A process must load a program to find its exports.
   */
  readonly #functions = new Map<string, readonly ProgramFunction[]>()

  constructor(store: BlobStore) {
    this.#store = store
  }

  /** @param pin the holder of the pins of all files; `after` in the options has ids */
  async prepare(
    program: string | Uint8Array,
    fn: string,
    input: unknown,
    { votes = 1, keep = DEFAULT_KEEP, requirements, after = [], maxTime, blobs: named = [] }: SubmitOptions,
    pin: { readonly for: string },
  ): Promise<Submission> {
    const bytes = typeof program === 'string' ? await bundleProgram(program) : program
    if (bytes.length > MAX_PART_BYTES)
      throw new BlobTooLargeError(`a program may have ${MAX_PART_BYTES} bytes, not ${bytes.length}: hand large data in as a blob`)
    const hash = await this.#store.put(bytes, pin)
    const functions = this.#functions.get(hash) ?? (await describeProgram(async () => await this.#store.fileOf(hash)))
    this.#functions.set(hash, functions)
    const { result } = findFunction(functions, fn)
    if (!Number.isInteger(votes) || votes < 1 || votes > MAX_VOTES)
      throw new VotesError(`votes: a whole number from 1 to ${MAX_VOTES}, not ${votes}`)
    checkRequirements(requirements)
    const needs = needsIn(new TextDecoder().decode(bytes))
    const encoded = encodeValue(input)
    const inputBlob = encoded.length > MAX_INLINE_INPUT ? await this.#store.put(encoded, pin) : undefined
    const list = await listBlobs(this.#store, [...blobsIn(input), ...named])
    const blobs = list && (await this.#store.put(list, pin))
    const parts = list === undefined ? [] : (await readBlobList(list)).flatMap((each) => each.parts)
    const job: JobRecord = {
      program: hash,
      fn,
      input: inputBlob === undefined ? encoded : undefined,
      inputBlob,
      blobs,
      result,
      trusted: needs.length > 0,
      votes,
      requirements,
      after,
      maxTime,
      submitted: Date.now(),
      keep,
      desired: 'run',
    }
    return { job, needs, hashes: [hash, inputBlob, blobs, ...parts].filter((each) => each !== undefined) }
  }
}

/**
 * Returns the modules and names that a program needs and a sandbox does not offer.
 *
 * @throws ProgramError if the author's files use a name that no runtime defines. A package may
 * contain code for a runtime that this member does not know.
 */
function needsIn(source: string): readonly string[] {
  const { needs, unknown } = needsOf(source)
  const stacks = new ProgramStack('program', () => source)
  for (const { name, line, column } of unknown) {
    const place = /at (.*)$/u.exec(stacks.of(`Error\n    at program:${line}:${column + 1}`))?.[1]
    if (place !== undefined && !place.includes('node_modules')) throw new ProgramError(`${name} is not defined anywhere: ${place}`)
  }
  return needs
}
