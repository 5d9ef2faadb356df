import { hash52 } from '@jel/protocol'
import { entryBytes, type Entry } from './entry.ts'

const latin1 = new TextDecoder('latin1')
const digests = new WeakMap<Entry, string>()

/** Returns a digest by which two members compare outcomes. It proves nothing. */
export function digestOf(entry: Entry): string {
  const known = digests.get(entry)
  if (known !== undefined) return known
  const { outcome, shared } = entry
  const said = 'value' in outcome ? `v${latin1.decode(outcome.value)}` : `f${outcome.failure.code} ${outcome.failure.message}`
  const offers = [...shared]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { key, values }]) => `${name} ${key} ${values.map((value) => latin1.decode(value)).join(' ')}`)
  const digest = `${hash52(said)}${hash52(offers.join('\n'))}${entryBytes(entry)}`
  digests.set(entry, digest)
  return digest
}
