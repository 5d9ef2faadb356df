import type { ShellFault } from './shell-faults.ts'

const folder = 'packages/lab/src/linearizability'
const search = { file: `${folder}/check.ts`, test: `${folder}/check.test.ts` }
const pending = { file: `${folder}/pending.ts`, test: `${folder}/check.test.ts` }
const elections = { file: `${folder}/elections.ts`, test: `${folder}/elections.test.ts` }
const orders = { file: `${folder}/orders.ts`, test: `${folder}/orders.test.ts` }
const sequences = { file: `${folder}/sequences.ts`, test: `${folder}/orders.test.ts` }

/** Faults of the checker of histories. A checker that accepts too much finds nothing. */
export const historyFaults: readonly ShellFault[] = [
  {
    ...search,
    name: 'the search remembers operations without the state after them',
    from: 'const name = `${pending.name()} ${key(after)}`',
    to: 'const name = pending.name()',
  },
  {
    ...search,
    name: 'a search without an end accepts',
    from: "return { outcome: 'unknown', ...furthest }",
    to: "return { outcome: 'linearizable' }",
  },
  {
    ...search,
    name: 'the search does not take back an operation',
    from: '    state = last.before\n',
    to: '',
  },
  {
    ...pending,
    name: 'an operation without a return must take effect',
    from: '    if (call.end === undefined) return\n    this.#remove(call.end)\n    this.#returning--',
    to: '    this.#returning--\n    if (call.end === undefined) return\n    this.#remove(call.end)',
  },
  {
    ...pending,
    name: 'operations that touch are not concurrent',
    from: "Number(a.entry.type === 'return') - Number(b",
    to: "Number(b.entry.type === 'return') - Number(a",
  },
  {
    ...pending,
    name: 'the name of a set lacks the operations without a return',
    from: 'if (this.#isTaken[at] === true) name += `${at} `',
    to: 'if (this.#isTaken[at] === true) name += ``',
  },
  { ...elections, name: 'an epoch may fall', from: 'reign.epoch < epoch || ', to: '' },
  { ...elections, name: 'an epoch may have two winners', from: 'reign.winner === winner && !state.hasEnded', to: '!state.hasEnded' },
  {
    ...elections,
    name: 'a reign that ended comes back',
    from: 'reign.winner === winner && !state.hasEnded',
    to: 'reign.winner === winner',
  },
  { ...elections, name: 'an answer may be older than what was known', from: 'reign.epoch >= latest.reign.epoch', to: 'reign.epoch >= 0' },
  {
    ...elections,
    name: 'anybody may win',
    from: ' || !state.candidates.includes(reign.winner)) return undefined',
    to: ') return undefined',
  },
  { ...elections, name: 'who withdrew may win', from: 'state.candidates.filter((each) => each !== by)', to: 'state.candidates.slice()' },
  { ...elections, name: 'a candidate without an answer never stood', from: 'winners.has(input.by)))', to: 'winners.has(input.type)))' },
  {
    ...orders,
    name: 'messages may be in any order of time',
    from: 'message.returned < latest.called',
    to: 'message.returned < -latest.called',
  },
  { ...orders, name: 'a message may have two places', from: 'return all.length > 1 ?', to: 'return all.length > 9 ?' },
  { ...orders, name: 'two messages may have one index', from: 'if (other !== undefined) problems', to: 'if (other === input) problems' },
  {
    ...sequences,
    name: 'a member may lack an event',
    from: 'index <= until && !own.has(index)',
    to: 'index < until && !own.has(index) && index < since',
  },
  { ...sequences, name: 'a member may be told of an event twice', from: 'if (index <= last) problems', to: 'if (index < last) problems' },
  {
    ...sequences,
    name: 'members may be told of different events',
    from: 'else if (known.content !== content)',
    to: 'else if (known.content === member)',
  },
]
