import { CommandFolder, type FolderFile } from './command-folder.ts'
import { CommandProcess, MAX_PRINTED, MAX_REASON, type CommandStart } from './command-process.ts'
import type { TaskContext } from './definitions.ts'
import { parseJson } from './json.ts'

const NEWLINE = 10

interface PersistentStart extends Omit<CommandStart, 'folder'> {
  readonly files: readonly FolderFile[]
}

/** The answer of the command to an input. */
type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string } | { readonly save: unknown })

/** The saved state of the task. A member of an earlier release saves nothing. */
type Saving = Partial<Pick<TaskContext, 'saved' | 'save'>>

/**
 * A command whose process handles one input after the other. Each input is a line of its standard
 * input, `{"id":1,"input":…}`. The answer is a line of its standard output: `{"id":1,"value":…}`,
 * or `{"id":1,"error":"…"}`. Before that, lines `{"id":1,"save":…}` save a state. If the input has
 * to run again, its line has the latest state as `saved`. Other lines that it prints are output of
 * the task. All inputs share one folder.
 */
export class PersistentCommand {
  readonly #process: CommandProcess
  readonly #folder: CommandFolder
  readonly #end: Promise<void>
  /** The reason why the command ended. */
  #failure: Error | undefined
  #inputs = 0
  /** The beginning of an incomplete line. */
  #line: Buffer[] = []
  #bytes = 0
  #waiting: { readonly id: number; readonly take: (answer: Answer | Error) => void; readonly save: (state: unknown) => void } | undefined

  private constructor(process: CommandProcess, folder: CommandFolder) {
    this.#process = process
    this.#folder = folder
    this.#end = process
      .ended()
      .catch((error: unknown) => error as Error)
      .then((failure) => {
        this.#failure = failure ?? Object.assign(new Error('the command ended without an answer'), { code: 'COMMAND_FAILED' })
        // The last line may lack a line break.
        if (this.#bytes > 0) this.#take(Buffer.concat(this.#line).toString('utf8'))
        // `Promise.race` with this promise would keep the values of all inputs in memory until the
        // end.
        this.#waiting?.take(this.#failure)
      })
    process.output.on('data', (chunk: Buffer) => this.#read(chunk))
  }

  static async start({ files, ...start }: PersistentStart): Promise<PersistentCommand> {
    const folder = await CommandFolder.make()
    try {
      await folder.fill(files)
      return new PersistentCommand(await CommandProcess.start({ ...start, folder }), folder)
    } catch (error) {
      await folder.remove()
      throw error
    }
  }

  /** Whether the command has ended or must end. Then it takes no further input. */
  get hasEnded(): boolean {
    return this.#failure !== undefined || this.#process.isStopped
  }

  /**
   * Returns the value of an input.
   *
   * @param begin the start of the task's time, by the clock of `performance`
   * @throws Error with the code of the reason; see `commandTask`
   */
  async valueOf(input: unknown, begin: number, { saved, save }: Saving = {}): Promise<unknown> {
    const id = ++this.#inputs
    const answered = Promise.withResolvers<Answer | Error>()
    this.#waiting = { id, take: answered.resolve, save: (state) => void save?.(state).catch(answered.resolve) }
    this.#process.serve()
    const stopClock = this.#process.limitTime(begin)
    try {
      if (this.#failure !== undefined) throw this.#failure
      this.#process.input.write(`${JSON.stringify({ id, input: input ?? null, ...(saved !== undefined && { saved }) })}\n`)
      const answer = await answered.promise
      if (answer instanceof Error) throw answer
      if ('error' in answer)
        throw Object.assign(new Error(`the command failed: ${answer.error.slice(-MAX_REASON)}`), { code: 'COMMAND_FAILED' })
      return 'value' in answer ? answer.value : undefined
    } finally {
      stopClock()
      this.#waiting = undefined
    }
  }

  /** Kills the processes of the command, and removes its folder. */
  async remove(): Promise<void> {
    this.#process.stop('COMMAND_FAILED', 'it was stopped')
    await this.#end
    await this.#process.remove()
    await this.#folder.remove()
  }

  #read(chunk: Buffer): void {
    let begin = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      const line = Buffer.concat([...this.#line, chunk.subarray(begin, end)]).toString('utf8')
      this.#line = []
      this.#bytes = 0
      begin = end + 1
      this.#take(line)
    }
    this.#line.push(chunk.subarray(begin))
    this.#bytes += chunk.length - begin
    if (this.#bytes > MAX_PRINTED)
      this.#process.stop('COMMAND_OUTPUT_TOO_LARGE', `the command prints a line of more than ${MAX_PRINTED} bytes`)
  }

  #take(line: string): void {
    const answer = answerOf(line)
    if (answer === undefined || answer.id !== this.#waiting?.id) this.#process.say(`${line}\n`)
    else if ('save' in answer) this.#waiting.save(answer.save)
    else this.#waiting.take(answer)
  }
}

/** Returns undefined if the line is no answer. */
function answerOf(line: string): Answer | undefined {
  try {
    const answer = parseJson(line)
    if (typeof answer !== 'object' || answer === null || !('id' in answer) || typeof answer.id !== 'number') return undefined
    const { id } = answer
    if ('error' in answer) return { id, error: String(answer.error) }
    if ('value' in answer) return { id, value: answer.value }
    if ('save' in answer) return { id, save: answer.save }
    // `JSON.stringify` of JavaScript leaves out a value that is undefined.
    return Object.keys(answer).length === 1 ? { id, value: null } : undefined
  } catch {
    return undefined
  }
}
