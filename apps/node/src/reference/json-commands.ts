import { commands } from '../commands/table.ts'

/** The width of a line of JSON, so that remarks stand below each other. */
const WIDTH = 56

/** Returns the commands that a node takes as lines of JSON, a line each, for the documents. */
export function jsonCommands(): string {
  return Object.entries(commands)
    .map(([name, { example, answer, about }]) => {
      const line = JSON.stringify({ command: name, ...example })
      const answered = answer === 'done' ? '' : `answered by ${answer}`
      return `${line.padEnd(WIDTH)}  ${[about, answered].filter(Boolean).join('; ')}`.trimEnd()
    })
    .join('\n')
}
