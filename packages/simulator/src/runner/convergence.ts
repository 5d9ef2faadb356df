import type { Milliseconds } from '@jel/protocol'
import type { Metrics } from '../report/metrics.ts'
import { isActive, type Actor } from '../truth/actor.ts'
import type { GroundTruth } from '../truth/ground-truth.ts'

/** The bounds of an undisturbed pool. */
export interface SettledBounds {
  /** All nodes must hold the same view and the same winners this long after the last change, ms. */
  readonly settle: Milliseconds
  /** The most links of a node then. Young links do not count. */
  readonly links: number
  /**
   * The most dials of the whole pool per second then, as a mean over ten seconds: `dials`, and
   * `dialsPerNode` for each node.
   */
  readonly dials: number
  readonly dialsPerNode: number
}

/** With a larger share of lost packets the dials have no bound. A guess. */
const lossy = 0.05

/**
 * The rate of dials is a mean over this many seconds. A node that lost packets may find some links
 * broken two minutes later, when TCP repeats what was lost. Its helpers dial within a second.
 */
const REST = 10

/**
 * Links younger than this do not count, ms. The protocol keeps each link for ten seconds, and then
 * takes some time to close it.
 */
const youngLink = 12_000

/** A violated bound of an undisturbed pool. `node` is one of the nodes concerned. */
export interface Unrest {
  readonly node?: number
  readonly what: string
}

/**
 * Checks the promises for an undisturbed pool. Call it once a second. Returns undefined if all
 * hold.
 */
export function unrest(truth: GroundTruth, metrics: Metrics, bounds: SettledBounds): Unrest | undefined {
  const quiet = truth.testbed.now - truth.lastChange
  if (quiet < bounds.settle || !truth.isUndisturbed || !truth.actors.some(isActive)) return undefined
  const since = `${Math.floor(quiet / 1_000)}s after the last change`
  if (!metrics.views.allKnowAll()) {
    const wrong = metrics.views.culprit
    return {
      ...(wrong && { node: wrong.number }),
      what: `${since} its view is not who is there (${metrics.views.right()} views are right)`,
    }
  }
  const stale = staleAddress(truth)
  if (stale !== undefined) return { node: stale.number, what: `${since} it knows old addresses of one that moved` }
  for (const [election, { agreement }] of metrics.elections) {
    const sides = new Set(truth.actors.filter((actor) => isActive(actor) && actor.candidacies.has(election)).map(({ side }) => side))
    const problem = [...sides].map((side) => agreement.disagreement(side)).find((each) => each !== undefined)
    if (problem !== undefined) return { node: problem.node, what: `${since} ${problem.what}` }
  }
  for (const actor of truth.actors.filter(isActive)) {
    const links = settledLinks(actor, truth.testbed.now)
    if (links > bounds.links) return { node: actor.number, what: `${since} it has ${links} links, more than ${bounds.links}` }
  }
  // With many losses links break, and nodes dial again. Nodes also dial members that attackers make
  // up.
  if (truth.scenario.network.loss > lossy || truth.hostile.size > 0) return undefined
  const dials = metrics.dialsBySecond.slice(-REST).reduce((sum, each) => sum + each, 0) / REST
  const most = bounds.dials + bounds.dialsPerNode * truth.actors.filter(isActive).length
  return dials > most ? { what: `${since} the pool dials ${dials} times a second, more than ${most}` } : undefined
}

/**
 * Counts the links that are not young. Helpers open links to a node for two seconds, to probe it.
 */
function settledLinks({ node }: Actor, now: Milliseconds): number {
  return [...node.endpoint.connections.values()].filter((link) => link.some(({ since }) => now - since >= youngLink)).length
}

/** Returns a node that holds outdated addresses of a member. */
function staleAddress({ actors }: GroundTruth): Actor | undefined {
  for (const moved of actors) {
    if (!moved.moved || !isActive(moved)) continue
    const addresses = String(moved.node.addresses)
    const stale = actors.find(
      (actor) =>
        isActive(actor) &&
        actor.side === moved.side &&
        actor.node.protocol.members().some((member) => member.id === moved.node.id && String(member.addresses) !== addresses),
    )
    if (stale !== undefined) return stale
  }
  return undefined
}
