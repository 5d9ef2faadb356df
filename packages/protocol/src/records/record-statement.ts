import type { Fact } from '../facts/fact.ts'
import { isKind, type RecordContent, type Statement } from '../facts/statement.ts'

/** Returns the record in a fact. Throws TypeError on another kind of fact. */
export function statementOf({ content }: Fact): Statement<RecordContent> {
  if (!('statement' in content) || !isKind(content.statement, 'record')) throw new TypeError('no record under the key of one')
  return content.statement
}
