import { distance } from 'fastest-levenshtein'
import * as v from 'valibot'

/** The name of the constant with which a member announces its services. */
export const SERVICE_CONSTANT = 'jel.service'

/** The rule for names of services. */
export const serviceName = v.pipe(
  v.string(),
  v.regex(/^[a-z][\w.-]{0,63}$/iu, 'must begin with a letter and have at most 64 of a-z, 0-9, _, . and -'),
)

/** The name of the election of a replicated service. */
export function electionOf(name: string): string {
  return `service/${name}`
}

const stated = v.record(
  serviceName,
  v.object({
    version: v.pipe(v.string(), v.maxLength(32)),
    /** The number of replicas, for a replicated service. */
    replicas: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(16))),
    /** The member has the state and is a candidate for primary. */
    stands: v.optional(v.boolean()),
  }),
)

/** The services that a member announces, by name. */
export type StatedServices = v.InferOutput<typeof stated>
export type StatedService = StatedServices[string]

/** A member, as far as the directory of services needs it. */
export interface Listed {
  readonly id: string
  readonly location: string
  readonly constants: ReadonlyMap<string, Uint8Array>
}

/** The decoded services by their bytes. Members are read far more often than they change. */
const parsed = new WeakMap<Uint8Array, StatedServices>()

/** Returns the services of a member. A member with an invalid constant has none. */
export function servicesOf({ constants }: Pick<Listed, 'constants'>): StatedServices {
  const bytes = constants.get(SERVICE_CONSTANT)
  if (bytes === undefined) return {}
  const known = parsed.get(bytes)
  if (known !== undefined) return known
  const services = parse(bytes)
  parsed.set(bytes, services)
  return services
}

function parse(bytes: Uint8Array): StatedServices {
  try {
    const { output, success } = v.safeParse(stated, JSON.parse(new TextDecoder().decode(bytes)))
    return success ? output : {}
  } catch {
    return {}
  }
}

/** Returns the service of this name that a member announces. */
export function serviceOf(member: Pick<Listed, 'constants'>, name: string): StatedService | undefined {
  const services = servicesOf(member)
  return Object.hasOwn(services, name) ? services[name] : undefined
}

/**
 * Returns the id of the senior backup. This is the candidate with the lowest id, which wins the
 * next election (JEL §3.2).
 *
 * @param primary the id of the present primary
 */
export function seniorOf(
  members: readonly Pick<Listed, 'id' | 'constants'>[],
  name: string,
  primary: string | undefined,
): string | undefined {
  let senior: string | undefined
  for (const member of members)
    if (member.id !== primary && (senior === undefined || member.id < senior) && serviceOf(member, name)?.stands === true)
      senior = member.id
  return senior
}

/** Returns the number of levels that two locations share, from the coarsest one on. */
export function sharedLevels(one: string, other: string): number {
  const [a, b] = [one.split('@').reverse(), other.split('@').reverse()]
  const differs = a.findIndex((level, at) => level !== b[at])
  return differs === -1 ? a.length : differs
}

/** Returns up to three known names that are like this one, the most similar name first. */
export function namesLike(name: string, known: Iterable<string>): readonly string[] {
  return [...new Set(known)]
    .map((each) => ({ each, far: each.includes(name) || name.includes(each) ? 0 : distance(name, each) }))
    .sort((a, b) => a.far - b.far || (a.each < b.each ? -1 : 1))
    .slice(0, 3)
    .map(({ each }) => each)
}
