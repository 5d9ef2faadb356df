/** Loads a program into a compartment, where it can only compute. */
import 'ses'
import { compartmentGlobals } from './compartment-globals.ts'
import { scriptOf } from './compartment-script.ts'

/** The host of the program handles uncaught errors here as well as outside of a sandbox. */
const TRAPPING = { errorTrapping: 'none', unhandledRejectionTrapping: 'none' } as const

/**
 * Evaluates an ES module without imports in a compartment of its own (SES). Freezes all shared
 * objects of the language. Call this once per process.
 *
 * @throws SyntaxError for a module with imports
 */
export async function loadConfined(source: string): Promise<Readonly<Record<string, unknown>>> {
  lockdown({ errorTaming: 'unsafe', overrideTaming: 'severe', consoleTaming: 'unsafe', domainTaming: 'unsafe', ...TRAPPING })
  const compartment = new Compartment({ globals: harden(compartmentGlobals()), __options__: true })
  // A call of `eval` sees no local names here. Without this option SES would refuse each text that
  // contains such a call, even in a string.
  return (await compartment.evaluate(scriptOf(source), { __rejectSomeDirectEvalExpressions__: false })) as Record<string, unknown>
}
