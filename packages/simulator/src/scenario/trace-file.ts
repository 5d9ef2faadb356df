/**
 * Trace files: the joins, leaves and crashes of a real pool, one event per line.
 *
 *     at,event,node
 *     0,join,a
 *     12.5,join,b
 *     3m,crash,a
 *     60m,end,
 *
 * `at` is in seconds, or a duration with its unit. The last line states the end of the trace, so
 * that the parser detects a truncated file.
 */
import type { TraceEvent } from './population.ts'
import { ScenarioError } from './problem.ts'
import { parseDuration } from './quantity.ts'
import { show, Unfit } from './schema-kit.ts'

const header = 'at,event,node'
const events = ['join', 'leave', 'crash'] as const

/** Throws {@link ScenarioError} that names the file, the line and the expected content. */
export function parseTrace(text: string, file: string): readonly TraceEvent[] {
  const lines = text.split('\n').map((line) => line.trim())
  const fail = (line: number, reason: string): never => {
    throw new ScenarioError([{ source: file, line, reason }])
  }
  if (lines[0] !== header) fail(1, `expected the header ${header}, not ${show(lines[0])}`)
  const numbers = new Map<string, number>()
  const gone = new Set<string>()
  const trace: TraceEvent[] = []
  let last = 0
  for (const [index, content] of lines.entries()) {
    const line = index + 1
    if (index === 0 || content === '' || content.startsWith('#')) continue
    const [time = '', event, node, ...more] = content.split(',').map((field) => field.trim())
    if (node === undefined || more.length > 0) fail(line, `expected ${header}, not ${show(content)}; is the file cut off?`)
    const at = /^\d+(\.\d+)?$/u.test(time) ? Number(time) * 1_000 : parseDuration(time)
    if (at instanceof Unfit) return fail(line, at.reason)
    if (at < last) fail(line, `${time} is before the line above; expected times in order`)
    last = at
    if (event === 'end') {
      const rest = lines.findIndex((later, at) => at > index && later !== '' && !later.startsWith('#'))
      if (rest > 0) fail(rest + 1, 'expected nothing after the line with end')
      if (trace.length === 0) fail(line, 'expected at least one join')
      return trace
    }
    const kind = events.find((each) => each === event) ?? fail(line, `expected join, leave, crash or end, not ${show(event)}`)
    const name = node ?? ''
    if (name === '') fail(line, 'expected the name of a node')
    if (kind === 'join') {
      if (numbers.has(name)) fail(line, `node ${show(name)} joined before; a node that comes back is a new one, with a new name`)
      numbers.set(name, numbers.size)
    } else if (!numbers.has(name)) fail(line, `node ${show(name)} never joined`)
    else if (gone.has(name)) fail(line, `node ${show(name)} is gone already`)
    else gone.add(name)
    trace.push({ at, event: kind, node: numbers.get(name) ?? 0 })
  }
  const end = lines.findLastIndex((line) => line !== '') + 1
  return fail(end, `the trace ends here without a line "TIME,end,": it is cut off`)
}
