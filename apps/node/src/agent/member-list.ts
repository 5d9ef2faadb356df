import { isWithin, type Member } from '@jel/jel'
import type { PoolModel } from '../model/pool.ts'
import { nodeJson, type ListedJson, type MemberState } from '../events/events.ts'

/** A filter of members. */
export interface MemberFilter {
  /** The last levels of a location: `delft@nl` finds `node7@rack2@delft@nl`. */
  readonly location?: string | undefined
  /** A regular expression for the tag as text. */
  readonly tag?: string | undefined
  /** The present state of a member; `all`: all its lives. Default: `here`. */
  readonly state?: MemberState | 'all' | undefined
}

/**
 * Lists the present members (`members`), then members that have gone, the latest first. The field
 * `since` of a listed member comes from the model, if the model knows it. Throws RangeError for a
 * `tag` that is not a regular expression.
 */
export function listMembers(
  members: readonly Member[],
  model: PoolModel,
  { location, tag, state = 'here' }: MemberFilter = {},
): ListedJson[] {
  const pattern = tag === undefined ? undefined : expression(tag)
  const here = members.map((member): ListedJson => {
    const known = model.members.get(member.id)
    return { ...nodeJson(member), state: 'here', since: known?.state === 'here' ? known.since : Date.now() }
  })
  const gone = [...model.gone].reverse().map(({ node, ...life }): ListedJson => ({ ...node, state: life.state, since: life.since }))
  const lives = [...here, ...gone]
  return (state === 'all' ? lives : presentOf(lives)).filter(
    (each) =>
      (state === 'all' || each.state === state) &&
      (location === undefined || isWithin(each, location)) &&
      (pattern === undefined || pattern.test(Buffer.from(each.tag, 'base64').toString())),
  )
}

/** Returns the first life of each member in a list that begins with the latest ones. */
function presentOf(lives: readonly ListedJson[]): ListedJson[] {
  const seen = new Set<string>()
  return lives.filter(({ id }) => seen.size < seen.add(id).size)
}

function expression(text: string): RegExp {
  try {
    return new RegExp(text, 'u')
  } catch (error) {
    throw new RangeError(`tag: ${error instanceof Error ? error.message : String(error)}`)
  }
}
