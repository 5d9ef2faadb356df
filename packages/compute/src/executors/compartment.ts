/** Loads a program where it can compute, and reach nothing else. */
import 'ses'
import { compartmentGlobals } from './compartment-globals.ts'
import { scriptOf } from './compartment-script.ts'

/** What nobody caught is dealt with by whoever hosts the program, as outside of a sandbox. */
const TRAPPING = { errorTrapping: 'none', unhandledRejectionTrapping: 'none' } as const

/**
 * Evaluates an ES module that imports nothing in a compartment of its own (SES), with all that the language shares frozen. Called once in a process.
 * @throws SyntaxError for a module that imports something
 */
export async function loadConfined(source: string): Promise<Readonly<Record<string, unknown>>> {
  lockdown({ errorTaming: 'unsafe', overrideTaming: 'severe', consoleTaming: 'unsafe', domainTaming: 'unsafe', ...TRAPPING })
  const compartment = new Compartment({ globals: harden(compartmentGlobals()), __options__: true })
  // A call of `eval` sees no local names here. SES would refuse each text that has one in it, be it a string.
  return (await compartment.evaluate(scriptOf(source), { __rejectSomeDirectEvalExpressions__: false })) as Record<string, unknown>
}
