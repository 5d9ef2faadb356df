import { namesLike, serviceOf, servicesOf, sharedLevels, type Listed } from '../core/directory.ts'
import { NoServerError } from '../errors.ts'

/** The members that may answer a call. */
export interface TargetView {
  readonly self: Pick<Listed, 'id' | 'location'>
  readonly members: readonly Listed[]
  /** The primary of the service. */
  readonly primary: string | undefined
  /** The members that could not answer. */
  readonly tried: ReadonlySet<string>
}

/**
 * Returns the member to ask: the primary, or the nearest instance by location. Undefined: there is
 * no such member at present.
 *
 * @throws NoServerError if no member has the service
 */
export function targetOf(name: string, { self, members, primary, tried }: TargetView): string | undefined {
  const having = members.filter((member) => serviceOf(member, name) !== undefined)
  if (having.length === 0) {
    const known = namesLike(
      name,
      members.flatMap((member) => Object.keys(servicesOf(member))),
    )
    const others = known.length === 0 ? 'no member has a service' : `known are ${known.join(', ')}`
    throw new NoServerError(`no member has the service ${name}; ${others}`)
  }
  const plain = having.filter((member) => serviceOf(member, name)?.replicas === undefined)
  // A member that announces a plain service as a replicated one must not hide its instances.
  const isReplicated = plain.length === 0 || having.some((member) => serviceOf(member, name)?.stands === true)
  if (isReplicated) return having.some(({ id }) => id === primary) ? primary : undefined
  const near = plain
    .filter(({ id }) => !tried.has(id))
    .map(({ id, location }) => ({ id, shared: id === self.id ? Infinity : sharedLevels(self.location, location) }))
  const most = Math.max(...near.map(({ shared }) => shared))
  const nearest = near.filter(({ shared }) => shared === most)
  return nearest[Math.floor(Math.random() * nearest.length)]?.id
}
