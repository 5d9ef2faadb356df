import { CommandProcess, MAX_PRINTED, type CommandStart } from './command-process.ts'

export interface CommandRun extends CommandStart {
  /** The standard input of the command. */
  readonly input: string
  /** The start of the task's time, by the clock of `performance`. */
  readonly begin: number
}

/**
 * Runs a command for one input. Afterwards its processes have ended, and the folder is gone.
 *
 * @param ended makes a value of the command's output, while the folder still exists
 * @throws Error with the code of the reason; see `commandTask`
 */
export async function runCommand<Value>(
  { input, begin, ...start }: CommandRun,
  ended: (printed: string) => Promise<Value>,
): Promise<Value> {
  const command = await CommandProcess.start(start)
  const printed: Buffer[] = []
  let bytes = 0
  command.output.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= MAX_PRINTED) printed.push(chunk)
    else command.stop('COMMAND_OUTPUT_TOO_LARGE', `the command prints more than ${MAX_PRINTED} bytes`)
  })
  command.input.end(input)
  const stopClock = command.limitTime(begin)
  try {
    const failure = await command.ended()
    if (failure !== undefined) throw failure
    return await ended(Buffer.concat(printed).toString('utf8'))
  } finally {
    stopClock()
    await command.remove()
  }
}
