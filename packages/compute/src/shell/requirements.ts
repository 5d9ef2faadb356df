import { Expression, lookupOf } from '@jel/monitor'
import type { Member } from '@jel/jel'
import { RequirementsError } from '../errors.ts'
import { MAX_REQUIREMENTS } from './job-record.ts'

/**
 * Maximum number of parsed requirements that a member keeps. A guess: open jobs seldom have more
 * different ones.
 */
const MAX_PARSED = 256

/** Parsed requirements by their text; undefined: they can not be parsed. */
const parsed = new Map<string, Expression | undefined>()

/** @throws RequirementsError */
export function checkRequirements(requirements: string | undefined): void {
  if (requirements === undefined) return
  if (requirements.length > MAX_REQUIREMENTS)
    throw new RequirementsError(`requirements: they have ${requirements.length} characters; at most ${MAX_REQUIREMENTS} are allowed`)
  try {
    Expression.parse(requirements)
  } catch (error) {
    throw new RequirementsError(`requirements: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * Whether the constants of a member meet requirements. Nobody meets requirements that are no
 * condition.
 */
export function meets(member: Member, requirements: string): boolean {
  return holdsFor(member, expressionOf(requirements))
}

/** Returns the number of members that meet each condition of requirements, as text. */
export function countsOf(members: readonly Member[], requirements: string): string {
  const conditions = expressionOf(requirements)?.conjuncts ?? []
  return conditions
    .map((each) => {
      const unstated = each.names.filter((name) => members.every((member) => lookupOf(member)(name) === undefined))
      const note = unstated.length === 0 ? '' : `, and none states ${unstated.join(', ')}`
      return `${each.text}: ${members.filter((member) => holdsFor(member, each)).length} of ${members.length}${note}`
    })
    .join('; ')
}

function holdsFor(member: Member, condition: Expression | undefined): boolean {
  return condition?.evaluate(lookupOf(member)) === true
}

function expressionOf(text: string): Expression | undefined {
  if (parsed.has(text)) return parsed.get(text)
  let expression: Expression | undefined
  try {
    expression = Expression.parse(text)
  } catch {
    // Another member may have published anything.
  }
  if (parsed.size >= MAX_PARSED) parsed.delete(parsed.keys().next().value as string)
  parsed.set(text, expression)
  return expression
}
