import type { Action } from './actions.ts'
import type { Expectation } from './expectation.ts'
import { siteNames } from './placement.ts'
import type { IntegerRange } from './quantity.ts'
import type { Scenario } from './scenario.ts'
import { nearest } from './nearest.ts'
import { show } from './schema-kit.ts'
import type { Targets } from './targets.ts'

export type Complain = (path: readonly PropertyKey[], reason: string) => void

/**
 * Reports problems that no single value shows: nodes, sites, racks and elections that don't exist,
 * and times after the end.
 */
export function checkScenario(scenario: Scenario, complain: Complain): void {
  checkSites(scenario, complain)
  checkJobs(scenario, complain)
  for (const [index, action] of scenario.actions.entries()) checkAction(scenario, action, index, complain)
  for (const [index, expectation] of scenario.expect.entries()) {
    const path = ['expect', index, expectation.type]
    if (isOfJobs(expectation) && scenario.jobs.length === 0) complain(path, 'there are no jobs')
    if (expectation.type === 'jobDone' && expectation.job !== undefined) checkJob(scenario, expectation.job, path, complain)
    if (expectation.type === 'efficiency') for (const site of expectation.site) checkSite(siteNames(scenario), site, path, complain)
    if ('election' in expectation) checkElection(scenario, expectation.election, path, complain)
    if (expectation.type === 'bytesPerSecond') {
      checkTargets(scenario, nodesBy(scenario, expectation.from), expectation.nodes, path, complain)
      if (expectation.from >= expectation.until) complain(path, 'expected until to be after from')
    }
    if ('until' in expectation && expectation.until !== undefined && expectation.until > scenario.duration)
      complain(path, `is looked at until ${expectation.until / 1_000}s, but the run ends at ${scenario.duration / 1_000}s`)
    if ('after' in expectation && typeof expectation.after === 'number') {
      const end = expectation.after + ('within' in expectation ? (expectation.within ?? 0) : 0)
      if (end > scenario.duration) complain(path, `is looked at until ${end / 1_000}s, but the run ends at ${scenario.duration / 1_000}s`)
    }
  }
}

function isOfJobs({ type }: Expectation): boolean {
  return type === 'efficiency' || type === 'doneTwice' || type === 'jobDone' || type === 'sameResult'
}

function checkJobs(scenario: Scenario, complain: Complain): void {
  const { jobs, compute } = scenario
  const names = siteNames(scenario)
  for (const key of ['workers', 'speed'] as const) {
    const by = compute[key]
    if (typeof by === 'object') for (const name of Object.keys(by)) checkSite(names, name, ['compute', key, name], complain)
  }
  for (const [index, { name, at, by, votes }] of jobs.entries()) {
    const path = ['jobs', index]
    if (at > scenario.duration) complain([...path, 'at'], `${at / 1_000}s is after the end, ${scenario.duration / 1_000}s`)
    if (jobs.findIndex((each) => each.name === name) < index) complain([...path, 'name'], `there are two jobs ${show(name)}`)
    if (votes === 1 && compute.liars > 0) complain([...path, 'votes'], 'without votes a liar’s word counts; expected 2, or no liars')
    checkTargets(scenario, nodesBy(scenario, at), by, [...path, 'by'], complain)
  }
}

function checkJob({ jobs }: Scenario, name: string, path: readonly PropertyKey[], complain: Complain): void {
  if (jobs.some((each) => each.name === name)) return
  const names = jobs.map((each) => each.name)
  complain(path, unknown('job', name, names, 'jobs:'))
}

function checkSites(scenario: Scenario, complain: Complain): void {
  const names = siteNames(scenario)
  for (const name of Object.keys(scenario.nodesBySite ?? {})) checkSite(names, name, ['nodes', name], complain)
  const { sites } = scenario.network
  if (typeof sites !== 'object') return
  if (names.length === 0) complain(['network', 'sites'], 'expected at least one site')
  for (const [from, { to }] of Object.entries(sites)) {
    for (const other of names) {
      if (other !== from && to[other] === undefined && sites[other]?.to[from] === undefined) {
        complain(['network', 'sites', from], `no delay to ${other}; expected to: { ${other}: 20ms } here, or one to ${from} there`)
      }
    }
    for (const other of Object.keys(to)) checkSite(names, other, ['network', 'sites', from, 'to', other], complain)
  }
}

function checkSite(names: readonly string[], name: string, path: readonly PropertyKey[], complain: Complain): void {
  if (names.includes(name)) return
  if (names.length === 0) complain(path, `there is no site ${show(name)}: network.sites says nothing of sites`)
  else complain(path, unknown('site', name, names))
}

function unknown(what: string, name: string, known: readonly string[], none = ''): string {
  const close = nearest(name, known)
  const hint = close === undefined ? '' : `, did you mean ${close}?`
  return `there is no ${what} ${show(name)}${hint}; expected ${known.length === 0 ? none : known.join(', ')}`
}

function checkAction(scenario: Scenario, action: Action, index: number, complain: Complain): void {
  const path = ['actions', index]
  if (action.at > scenario.duration) complain([...path, 'at'], `${action.at / 1_000}s is after the end, ${scenario.duration / 1_000}s`)
  if (action.until !== undefined && action.every === undefined) complain([...path, 'until'], 'needs every: how often to repeat')
  const known = nodesBy(scenario, action.at)
  const check = (targets: Targets, key: string): void => checkTargets(scenario, known, targets, [...path, key], complain)
  if (action.type === 'partition') action.sides.forEach((side) => check(side, 'partition'))
  else if (action.type === 'cut') {
    check(action.from, 'cut')
    check(action.to, 'cut')
  } else if (action.type === 'join') {
    if (action.site !== undefined) checkSite(siteNames(scenario), action.site, [...path, 'site'], complain)
  } else if (action.type === 'hostile') {
    check(action.against, 'against')
    if (action.from >= action.to) complain([...path, 'to'], 'expected to be after from')
  } else if (action.type !== 'heal') {
    check(action.targets, ['elect', 'withdraw'].includes(action.type) ? 'by' : action.type === 'loss' ? 'on' : action.type)
    if (action.type === 'maybeDead') check(action.by, 'by')
  }
}

/** Returns how many nodes have come by that time, or undefined if chance decides it. */
function nodesBy(scenario: Scenario, at: number): number | undefined {
  if (scenario.sessions?.replaced !== undefined) return undefined
  let known = scenario.nodes
  for (const action of scenario.actions) {
    if (action.type !== 'join' || action.at > at) continue
    const last = Math.min(at, action.until ?? Infinity)
    known += action.count * (action.every === undefined ? 1 : 1 + Math.floor((last - action.at) / action.every))
  }
  return known
}

function checkTargets(
  scenario: Scenario,
  known: number | undefined,
  targets: Targets,
  path: readonly PropertyKey[],
  complain: Complain,
): void {
  const exist = (ranges: readonly IntegerRange[] | undefined, limit: number, what: string): void => {
    for (const { last } of ranges ?? []) {
      if (last >= limit) complain(path, `there is no ${what} ${last}: expected 0 to ${limit - 1}`)
    }
  }
  if (known !== undefined) {
    exist(targets.nodes, known, 'node')
    const sites = Math.max(1, siteNames(scenario).length)
    const { nodesPerMachine, machinesPerRack } = scenario.network
    // Each site may end with a machine or rack that is not full.
    const machines = Math.ceil(known / nodesPerMachine) + sites - 1
    exist(targets.machine, machines, 'machine')
    exist(targets.rack, Math.ceil(machines / machinesPerRack) + sites - 1, 'rack')
  }
  for (const site of targets.site ?? []) checkSite(siteNames(scenario), site, path, complain)
  if (targets.root !== undefined) checkJob(scenario, targets.root, path, complain)
  if (targets.winner !== undefined) checkElection(scenario, targets.winner, path, complain)
}

function checkElection(scenario: Scenario, election: string, path: readonly PropertyKey[], complain: Complain): void {
  const elections = new Set(Object.keys(scenario.elections))
  for (const action of scenario.actions) if (action.type === 'elect') elections.add(action.election)
  if (!elections.has(election)) {
    complain(
      path,
      `nobody stands in election ${show(election)}; expected ${elections.size === 0 ? 'elections: or an action elect' : [...elections].join(', ')}`,
    )
  }
}
