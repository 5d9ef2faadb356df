import type { ShellFault } from './shell-faults.ts'

const listed = { test: 'packages/allocate/src/core/listed-groups.test.ts' }
const groups = { file: 'apps/node/src/model/groups.ts', test: 'apps/node/src/model/groups.test.ts' }
const hosts = { file: 'apps/node/src/http/hosts.ts', test: 'apps/node/src/http/hosts.test.ts' }
const http = { test: 'apps/node/test/http.test.ts' }
const watch = { file: 'apps/node/src/commands/watch.ts', test: 'apps/node/test/info.test.ts' }
const run = { test: 'apps/node/test/run.test.ts' }
const overview = { file: 'apps/node/src/http/overview.ts', test: 'apps/node/src/http/feed.test.ts' }

/** Faults of the views of leases, groups, services and watched values. */
export const showFaults: readonly ShellFault[] = [
  {
    ...listed,
    file: 'packages/allocate/src/core/holds.ts',
    name: 'a group does not say that it waits for an older one that waits, too',
    from: "(each.state === 'locked' || this.#order(each, hold, date) < 0)",
    to: "each.state === 'locked'",
  },
  {
    ...listed,
    file: 'packages/allocate/src/core/holds.ts',
    name: 'a group says that it waits for groups of other capacities',
    from: 'each !== hold && sharesCapacity(each.amounts, hold.amounts) &&',
    to: 'each !== hold &&',
  },
  {
    ...listed,
    file: 'packages/allocate/src/core/leases.ts',
    name: 'a group says that it waits for leases that have not begun',
    from: '!background && start <= now && sharesCapacity',
    to: '!background && sharesCapacity',
  },
  {
    ...listed,
    file: 'packages/allocate/src/group/own-groups.ts',
    name: 'a member does not list the groups that it has started',
    from: '[...starting, ...started].slice(0, MOST_LISTED)',
    to: 'starting.slice(0, MOST_LISTED)',
  },
  {
    ...groups,
    name: 'a member that makes a name up changes the group of another one',
    from: '`${group} ${starter}`',
    to: '`${group}`',
  },
  {
    ...groups,
    name: 'groups that wait are among those that run',
    from: 'STATES.indexOf(one.state) - STATES.indexOf(other.state) || ',
    to: '',
  },
  {
    ...groups,
    name: 'a group without an answer of its starter has no state',
    from: 'if (group.count !== undefined) return { ...group, members }',
    to: 'return { ...group, members }',
  },
  {
    ...groups,
    name: 'all groups of jel run show the program jel.run',
    from: 'program: title ?? start.program',
    to: 'program: start.program',
  },
  {
    ...groups,
    name: 'a group seems to wait for itself',
    from: 'before.filter((each) => each !== group)',
    to: 'before',
  },
  {
    ...groups,
    name: 'ranks are counted as members',
    from: 'new Set(members.map(({ member }) => member)).size',
    to: 'members.length',
  },
  {
    ...hosts,
    name: 'a page of a sibling site takes the streams of a node',
    from: "header !== undefined && header !== 'same-origin' && header !== 'none'",
    to: "header === 'cross-site'",
  },
  {
    ...hosts,
    name: 'clients that are no browsers get no streams',
    from: 'header !== undefined && ',
    to: '',
  },
  {
    ...http,
    file: 'apps/node/src/http/server.ts',
    name: 'pages of other sites are not told from others',
    from: "if (isForeignSite(headers['sec-fetch-site'])) throw",
    to: 'if (isForeignSite(undefined)) throw',
  },
  {
    ...http,
    file: 'apps/node/src/http/watch-feed.ts',
    name: 'a page that watches draws no newcomers',
    from: "this.#agent.pool.addEventListener('joined', () => this.#fill(), { signal: this.#end.signal })",
    to: '',
  },
  {
    ...watch,
    name: 'a watch of nobody says nothing',
    from: 'if (chosen.length === 0) report(',
    to: 'if (chosen.length < 0) report(',
  },
  {
    ...watch,
    name: 'the end of the id of a member selects nobody',
    from: '(WHOLE_ID.test(end) ? end : memberAt(members, end).id)',
    to: 'end',
  },
  {
    ...run,
    file: 'packages/allocate/src/process/index.ts',
    name: 'jel run takes no TypeScript',
    from: "? 'mts' : 'mjs'",
    to: "? 'mjs' : 'mjs'",
  },
  {
    ...run,
    file: 'apps/node/src/commands/run.ts',
    name: 'the reason why a member runs no programs names no flag',
    from: 'throw hinted(error)',
    to: 'throw error',
  },
  {
    ...overview,
    name: 'a page is told of leases that did not change',
    from: 'JSON.stringify(event) === JSON.stringify(this.#last.get(event.event))',
    to: 'event === this.#last.get(event.event)',
  },
  {
    ...overview,
    name: 'a node asks its members though nobody looks any more',
    from: '    if (!this.#isRunning) return\n',
    to: '',
  },
  {
    file: 'apps/node/src/model/allocation-table.ts',
    test: 'apps/node/src/terminal/allocation-table.test.ts',
    name: 'the end of a lease stands still between two answers',
    from: 'timeText(Math.max(0, endsIn - passed))',
    to: 'timeText(endsIn)',
  },
  {
    file: 'apps/node/src/model/services.ts',
    test: 'apps/node/src/model/services.test.ts',
    name: 'a service that lacks a backup is well',
    from: 'backups >= replicas - 1',
    to: 'backups >= 1',
  },
  {
    file: 'apps/node/src/commands/watch.ts',
    test: 'apps/node/src/commands/watch.test.ts',
    name: 'a watch advises on names that members have',
    from: '.filter((name) => !known.includes(name))',
    to: '.filter((name) => name !== "")',
  },
  {
    file: 'apps/node/src/http/page/watch.ts',
    test: 'apps/node/src/http/page/watch.test.ts',
    name: 'the latest value of a drawing is not at its right edge',
    from: 'const first = SAMPLES - numbers.length',
    to: 'const first = 0',
  },
  {
    file: 'packages/service/src/core/primary.ts',
    test: 'packages/service/test/status.test.ts',
    name: 'a primary does not say why it takes no operations',
    from: "return refusal === 'wait' ? undefined : refusal",
    to: 'return undefined',
  },
  {
    file: 'packages/monitor/src/shell/site-watches.ts',
    test: 'packages/monitor/test/site-aggregates.test.ts',
    name: 'an aggregator keeps no numbers of its site',
    from: '      shared.values = values\n',
    to: '',
  },
]
