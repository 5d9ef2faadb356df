/** Ends the program with the exit status of its experiment. */
import { UsageError } from './settings.ts'

/**
 * Runs a program, which returns its exit status. A mistake of the caller (UsageError) ends the
 * process and all that it started, with status 2 and one line on standard error. Any other error is
 * a bug and comes with its stack.
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
