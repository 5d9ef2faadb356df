import * as v from 'valibot'
import { count, parseRange, parseShare, text, type IntegerRange } from './quantity.ts'
import { about, choice, exactly, flag, jsonSchemaOf, mapping, parsed, show, shownAs, Unfit, written, type Schema } from './schema-kit.ts'

/**
 * Selects the nodes of an action: the nodes that live at that time and meet all conditions. Without
 * conditions these are all living nodes. `share` or `count` then picks this share or number of them
 * at random.
 */
export interface Targets {
  /** The numbers of nodes, in the order in which they start; 0 is the first. */
  readonly nodes?: readonly IntegerRange[]
  readonly site?: readonly string[]
  readonly rack?: readonly IntegerRange[]
  readonly machine?: readonly IntegerRange[]
  /** The node that most nodes name as the winner of this election at that time. */
  readonly winner?: string
  /** The node that most nodes name as the holder of this job's root at that time. */
  readonly root?: string
  /** True: only nodes that others can't dial. False: only nodes that others can dial. */
  readonly nat?: boolean
  /** The share of matching nodes, 0 to 1. */
  readonly share?: number
  readonly count?: number
}

const form = 'a node (7), a range (3..9), a list of both, a share (30%), all, or a mapping such as { site: delft, share: 50% }'

function ranges(what: string): Schema<readonly IntegerRange[]> {
  return written(
    (value) => {
      const list: unknown[] = Array.isArray(value) ? value : [value]
      const parsed = list.map(parseRange)
      const wrong = parsed.indexOf(undefined)
      if (list.length === 0 || wrong >= 0)
        return new Unfit(`expected ${what}: a number from 0 on, a range such as 3..9, or a list of both; not ${show(list[wrong])}`)
      return parsed.filter((range) => range !== undefined)
    },
    { anyOf: [rangeJson, { type: 'array', items: rangeJson, minItems: 1 }] },
  )
}

const rangeJson = {
  anyOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^\\d+(\\.\\.\\d+)?$' },
  ],
}

const nodes = parsed(ranges('node numbers'), (nodes): Targets => ({ nodes }))
const all = parsed(exactly('all'), (): Targets => ({}))
const part = written(
  (value): Targets | Unfit => {
    const share = parseShare(value)
    return share instanceof Unfit ? share : { share }
  },
  { type: 'string', pattern: '^\\d+(\\.\\d+)? ?%$' },
)

export const words = written(
  (value): readonly string[] | Unfit => {
    const list: unknown[] = Array.isArray(value) ? value : [value]
    return list.length > 0 && list.every((each) => typeof each === 'string')
      ? list
      : new Unfit(`expected a name or a list of names, not ${show(value)}`)
  },
  { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] },
)

const conditions: Schema<Targets> = mapping({
  nodes: v.exactOptional(about(ranges('node numbers'), 'node numbers, in the order of starting')),
  site: v.exactOptional(about(words, 'sites of the network')),
  rack: v.exactOptional(ranges('rack numbers')),
  machine: v.exactOptional(ranges('machine numbers')),
  winner: v.exactOptional(about(text('the name of an election'), 'who wins this election at that time')),
  root: v.exactOptional(about(text('the name of a job'), 'who keeps the root of this job at that time')),
  nat: v.exactOptional(about(flag, 'true: only nodes behind a NAT; false: only others')),
  share: v.exactOptional(about(written(parseShare, { type: 'string' }), 'so many of them, at random')),
  count: v.exactOptional(about(count(1), 'so many of them, at random')),
})

const anyForm = choice<Targets>([nodes, all, part, conditions], (value) => {
  if (value === 'all') return all
  if (typeof value === 'string' && value.trim().endsWith('%')) return part
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return conditions
  if (Array.isArray(value) || parseRange(value) !== undefined) return nodes
  return new Unfit(`expected ${form}; not ${show(value)}`)
})

/** `7`, `3..9`, `[1, 4..6]`, `30%`, `all`, `{ site: delft, share: 50% }`. */
export const targets = shownAs(anyForm, { $ref: '#/$defs/targets' })

/** The JSON schemas to which other JSON schemas refer. */
export const definitions = { targets: jsonSchemaOf(anyForm) }
