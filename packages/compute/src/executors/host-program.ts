import { captureOutput, describe, idle, Owners, onStray } from '#platform/program-host'
import type { SharedDefinition } from '../program/definitions.ts'
import { Runtime } from '../program/runtime.ts'
import { describeThrown } from '../program/thrown.ts'
import type { First } from './frames.ts'
import { MAX_TEXT, type FromProgram, type ToProgram } from '../program/messages.ts'
import { OUTPUT_BURST, OUTPUT_RATE, OutputLimit } from './output-limit.ts'
import type { ProgramStack } from './program-stack.ts'
import { stepOf } from './step.ts'

/** Maximum characters of a program's error while it loads. A guess. */
const MAX_MESSAGE = 2000

/**
 * The container's side of a program. Loads the program, reports its exports, and returns the
 * function that handles messages to it.
 */
export async function hostProgram(
  { job, limits }: Omit<First, 'program'>,
  load: () => Promise<Readonly<Record<string, unknown>>>,
  post: (messages: readonly FromProgram[]) => void,
  stacks: Pick<ProgramStack, 'of'>,
): Promise<((messages: readonly ToProgram[]) => void) | undefined> {
  /**
   * The frame for which the present code runs. Callbacks of timers and promises have the same
   * frame.
   */
  const owners = new Owners()
  let runtime: Runtime | undefined
  const stack = (text: string): string => {
    try {
      return stacks.of(text)
    } catch {
      // The source map of the program is damaged.
      return ''
    }
  }
  // An uncaught error ends only the task that caused it, if the task still runs. Other tasks share
  // this process.
  onStray((error) => runtime?.stray(owners.getStore(), error))
  const limit = new OutputLimit(OUTPUT_BURST, OUTPUT_RATE, performance.now())
  captureOutput((stream, text) => {
    const passed = limit.pass(text, performance.now())
    const task = runtime?.taskOf(owners.getStore())
    for (let at = 0; at < passed.length; at += MAX_TEXT) post([{ type: 'output', ...task, stream, text: passed.slice(at, at + MAX_TEXT) }])
  })
  try {
    const exports = await load()
    const declared = (exports['sharedValues$'] as (() => readonly SharedDefinition<never>[]) | undefined)?.() ?? []
    const onBehalfOf = <Result>(owner: object, action: () => Result): Result => owners.run(owner, action)
    const loaded = new Runtime({ job, limits, post, step: stepOf, stack, describe, idle, onBehalfOf }, exports, declared)
    runtime = loaded
    post([{ type: 'ready', functions: loaded.functions }])
    return (messages) => loaded.handle(messages)
  } catch (error) {
    const { message, stack: thrown } = describeThrown(error)
    const shown = thrown === undefined ? undefined : stack(thrown)
    post([{ type: 'unusable', code: 'PROGRAM_UNUSABLE', message: message.slice(0, MAX_MESSAGE), ...(shown && { stack: shown }) }])
    return undefined
  }
}
