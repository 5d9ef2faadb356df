/** Plain words for the reasons why a tab could not enter a pool. */
import type { Wanted } from './fragment.ts'

/** Whether the member that served the page refuses this tab. Then another try is in vain. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && /handshake failed|belongs to another pool|may not allow/u.test(error.message)
}

/** Describes a failure in plain words. */
export function plainProblem(code: string, message: string, { pool, key }: Wanted): string {
  if (code === 'INVALID_POOL_KEY') return 'This is no key of a pool: it has 64 digits from 0 to 9 and a to f.'
  if (code !== 'TOO_FEW_MEMBERS') return `${code}: ${message}`
  if (message.includes('the pool key may be the reason'))
    return key === undefined ? `The pool at this address asks for a key.` : 'This key does not fit.'
  if (message.includes('belongs to another pool')) return `There is no pool “${pool}” at this address.`
  if (message.includes('may not allow')) return 'This pool does not allow this browser.'
  return 'The server of this page does not answer.'
}
