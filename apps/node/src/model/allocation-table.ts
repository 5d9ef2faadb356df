import type { LeasesJson, ServiceJson } from '../events/events.ts'
import type { AllocationModel } from './allocation.ts'
import { groupText, rankText, shortGroup } from './groups.ts'
import { problemOf } from './services.ts'
import { amountsText, counted, shortId, timeText } from '../events/quantity.ts'

/** A line of the table of leases, groups and services. A part belongs to the item above it. */
export interface AllocationLine {
  readonly kind: 'head' | 'item' | 'part'
  readonly name: string
  readonly note: string
  /** It waits, or has a problem. */
  readonly isBad: boolean
}

/**
 * Maximum number of listed members with capacities, of listed groups, and of listed services. A
 * guess: a screen or two.
 */
const MOST = 64
/** Maximum number of listed leases of a member, and of listed members of a group. A guess. */
const MOST_PARTS = 16

/**
 * Returns the table: first the groups and the reasons why they wait, then the capacities and their
 * holders, then the services and their state. `nameOf` describes a member. Texts of other members
 * are not made safe.
 */
export function allocationLines(model: AllocationModel, nameOf: (member: string) => string, now: number): AllocationLine[] {
  const known = new Map(model.groups.map((group) => [group.group, group]))
  const groups = model.groups.map((group) => [
    item(`${group.program} ${shortGroup(group.group)}`, `${groupText(group)}, started by ${place(group.starter, nameOf)}`, group.waits > 0),
    ...parts(group.members, (each) =>
      part(shortId(each.member), `${rankText(each, known)}  ${nameOf(each.member)}`, each.state === 'waits'),
    ),
  ])
  const leases = model.members
    .filter(({ totals = {}, reason }) => reason !== undefined || Object.keys(totals).length > 0)
    .map((each) => leasesOf(each, nameOf, now - model.at))
  const services = model.services.map((each) => serviceOf(each, nameOf))
  return [...section('groups', groups), ...section('leases', leases), ...section('services', services)]
}

function leasesOf(
  { member, totals = {}, leases = [], reason }: LeasesJson,
  nameOf: (member: string) => string,
  passed: number,
): AllocationLine[] {
  const offers = reason === undefined ? `offers ${amountsText(totals)}` : reason
  return [
    item(shortId(member), `${offers}  ${nameOf(member)}`, reason !== undefined),
    ...parts(leases, ({ number, holder, group, background, amounts, startsIn, endsIn }) => {
      const begins = startsIn - passed
      const span = `${begins > 0 ? `begins in ${timeText(begins)}, ` : ''}ends in ${timeText(Math.max(0, endsIn - passed))}`
      const by = group === undefined ? shortId(holder) : `group ${shortGroup(group)}`
      return part(
        `lease ${number}`,
        `${amountsText(amounts) || 'nothing'}${background ? ' of what others leave' : ''}, ${by}, ${span}`,
        false,
      )
    }),
  ]
}

function serviceOf(service: ServiceJson, nameOf: (member: string) => string): AllocationLine[] {
  const { name, version, instances, standing, replicas, primary, status } = service
  const problem = problemOf(service)
  const count = counted(instances.length, 'instance')
  const operations = status === undefined ? '' : `, ${status.operations} operations`
  const note = replicas === undefined ? count : `${standing.length} of ${replicas} replicas of ${count}${operations}`
  const roles = standing.map((member) => {
    const role =
      member === primary ? `primary, epoch ${status?.epoch ?? '?'}` : status?.backups.includes(member) === true ? 'backup' : 'stands'
    return { member, role }
  })
  return [
    item(`${name} ${version}`, [note, problem].filter(Boolean).join('; '), problem !== ''),
    ...parts(roles, ({ member, role }) => part(shortId(member), `${role}  ${nameOf(member)}`, false)),
  ]
}

function section(name: string, items: readonly (readonly AllocationLine[])[]): AllocationLine[] {
  if (items.length === 0) return []
  const more = items.length > MOST ? [item('', `and ${items.length - MOST} more`, false)] : []
  return [{ kind: 'head', name, note: '', isBad: false }, ...items.slice(0, MOST).flat(), ...more]
}

function parts<Item>(all: readonly Item[], lineOf: (item: Item) => AllocationLine): AllocationLine[] {
  const more = all.length - MOST_PARTS
  return [...all.slice(0, MOST_PARTS).map(lineOf), ...(more > 0 ? [part('', `and ${more} more`, false)] : [])]
}

const item = (name: string, note: string, isBad: boolean): AllocationLine => ({ kind: 'item', name, note, isBad })
const part = (name: string, note: string, isBad: boolean): AllocationLine => ({ kind: 'part', name, note: note.trimEnd(), isBad })

function place(member: string, nameOf: (member: string) => string): string {
  return `${shortId(member)} ${nameOf(member)}`.trimEnd()
}
