/** Loads a program into a compartment, where it can only compute. */
import 'ses'
import { compartmentGlobals } from './compartment-globals.ts'
import { scriptOf } from './compartment-script.ts'

/** The host of the program handles uncaught errors here as well as outside of a sandbox. */
const TRAPPING = { errorTrapping: 'none', unhandledRejectionTrapping: 'none' } as const

/**
 * Packages such as mathjs replace the `constructor` of these classes in prototypes of their own.
 * SES allows that for other classes of errors, and for objects.
 */
const ERRORS = [RangeError, SyntaxError, EvalError, ReferenceError, URIError]

/**
 * Lets programs replace a field in objects that inherit it from a frozen prototype. The language
 * refuses an assignment to such a field.
 */
function mayBeReplaced(prototype: object, name: string): void {
  const value: unknown = Reflect.get(prototype, name)
  Object.defineProperty(prototype, name, {
    get: () => value,
    set(this: object, other: unknown) {
      if (this === prototype) throw new TypeError(`${name} of a frozen prototype`)
      Object.defineProperty(this, name, { value: other, writable: true, enumerable: true, configurable: true })
    },
  })
}

/**
 * Evaluates an ES module without imports in a compartment of its own (SES). Freezes all shared
 * objects of the language. Call this once per process.
 *
 * @throws SyntaxError for a module with imports
 */
export async function loadConfined(source: string): Promise<Readonly<Record<string, unknown>>> {
  repairIntrinsics({
    errorTaming: 'unsafe',
    overrideTaming: 'severe',
    consoleTaming: 'unsafe',
    domainTaming: 'unsafe',
    reporting: 'none',
    ...TRAPPING,
  })
  for (const { prototype } of ERRORS) mayBeReplaced(prototype, 'constructor')
  hardenIntrinsics()
  // A program gets errors of these classes from `atob` and `getRandomValues`. SES does not know the
  // classes.
  for (const name of ['DOMException', 'QuotaExceededError']) harden(Reflect.get(globalThis, name))
  const compartment = new Compartment({ globals: harden(compartmentGlobals()), __options__: true })
  // A call of `eval` sees no local names here. Without this option SES would refuse each text that
  // contains such a call, even in a string.
  return (await compartment.evaluate(scriptOf(source), { __rejectSomeDirectEvalExpressions__: false })) as Record<string, unknown>
}
