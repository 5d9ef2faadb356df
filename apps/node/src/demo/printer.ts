import colors from 'picocolors'
import stringWidth from 'string-width'
import type { DemoNode } from './node.ts'
import type { Timing } from './stage.ts'
import { oneLine } from '../base/text.ts'
import { timeText } from '../events/quantity.ts'

/** Shows the demo as it happens. */
export interface DemoPrinter {
  title(text: string): void
  /** A step begins. */
  step(text: string): void
  /** A node did something, `after` milliseconds after the wait began. */
  node(node: DemoNode, after: number | undefined, what: string): void
  /** An awaited condition holds for all nodes. */
  done(what: string, timing: Timing): void
  summary(): void
  failure(message: string): void
}

export function demoPrinter(json: boolean): DemoPrinter {
  return json ? jsonPrinter() : textPrinter()
}

function textPrinter(): DemoPrinter {
  const start = performance.now()
  const results: [string, Timing][] = []
  const write = (line: string): void => void process.stdout.write(`${line}\n`)
  return {
    title: (text) => write(`${colors.bold('jel demo')}  ${text}`),
    step: (text) => write(`\n${colors.bold(text)}`),
    node: ({ number }, after, what) =>
      write(
        `  ${colors.dim(after === undefined ? '        ' : `+${timeText(after)}`.padStart(8))}  node ${String(number).padEnd(2)} ${what}`,
      ),
    done(what, timing) {
      results.push([what, timing])
      write(`  ${colors.green('✓')} ${what} ${colors.dim(`(${timeText(timing.last)})`)}`)
    },
    summary() {
      const width = Math.max(...results.map(([what]) => stringWidth(what)))
      write(`\n${colors.bold('what'.padEnd(width))}  ${colors.bold('  first')}  ${colors.bold('   last')}`)
      for (const [what, { first, last }] of results) {
        write(`${what}${' '.repeat(width - stringWidth(what))}  ${timeText(first).padStart(7)}  ${timeText(last).padStart(7)}`)
      }
      write(`\nAll of it happened, in ${timeText(performance.now() - start)}.`)
    },
    failure: (message) => void process.stderr.write(`jel: demo failed: ${oneLine(message)}\n`),
  }
}

function jsonPrinter(): DemoPrinter {
  const start = performance.now()
  const results: { what: string; firstMs: number; lastMs: number }[] = []
  const write = (value: object): void => void process.stdout.write(`${JSON.stringify({ ...value, time: Date.now() })}\n`)
  return {
    title: (text) => write({ event: 'demo', text }),
    step: (text) => write({ event: 'step', text }),
    node: ({ number, pid, self }, after, what) => write({ event: 'node', node: number, pid, id: self?.id, afterMs: after, what }),
    done(what, { first, last }) {
      const result = { what, firstMs: Math.round(first), lastMs: Math.round(last) }
      results.push(result)
      write({ event: 'done', ...result })
    },
    summary: () => write({ event: 'summary', results, totalMs: Math.round(performance.now() - start) }),
    failure(message) {
      write({ event: 'failure', message })
      process.stderr.write(`jel: demo failed: ${oneLine(message)}\n`)
    },
  }
}
