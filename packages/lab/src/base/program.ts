/** Ends the program with the exit status of its experiment. */
import { UsageError } from './settings.ts'

/**
 * Runs a program that returns its exit status. After a mistake of the user (UsageError), it prints
 * one line on standard error and ends the process with status 2. Any other error is a bug: it
 * throws the error again, with its stack trace.
 */
export async function run(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(error.message)
    process.exit(2)
  }
}
