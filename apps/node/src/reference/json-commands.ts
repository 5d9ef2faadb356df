import type * as v from 'valibot'
import { commands } from '../commands/table.ts'

interface Entry {
  readonly about?: string
  readonly fields: Readonly<
    Record<string, v.ObjectEntries[string] & { readonly wrapped?: { readonly message?: string }; readonly message?: string }>
  >
  readonly answer?: string
  readonly shell?: { readonly about: string }
}

/** Returns the commands that a node takes as lines of JSON, as a table for the documents. */
export function jsonCommands(): string {
  const rows = Object.entries(commands as Readonly<Record<string, Entry>>).map(
    ([name, { fields, answer = 'done', shell, about = shell?.about ?? '' }]) => {
      const described = Object.entries(fields).map(([field, { wrapped, message = wrapped?.message ?? 'must be anything' }]) => {
        const value = message.replace(/^must be (?:an? )?/u, '')
        return `\`${field}\`${wrapped === undefined ? '' : '?'}${value === 'string' ? '' : `: ${value}`}`
      })
      return `| \`${name}\` | ${described.join('; ')} | \`${answer}\` | ${about} |`
    },
  )
  return ['| command | fields | answer | |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
