/** Measures messages of groups, beside a stream without a group, and beside Open MPI. */
import { markdownTable } from '../base/markdown.ts'
import { flag } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { provide } from '../network/tools.ts'
import { MemberProcesses, type MemberProcess } from '../swarm/member-process.ts'
import type { Commands, Order } from './application.ts'
import { mpi } from './mpi.ts'

/** Number of ranks that take part in a sum over all ranks. */
const RANKS = 4
const MEGABYTE = 1_000_000
const [PING, LARGE, SUMS] = [
  { rounds: 3000, bytes: 0 },
  { rounds: 200, bytes: MEGABYTE },
  { rounds: 500, bytes: 800, sums: true },
]

interface Row {
  readonly what: string
  readonly unit: string
  readonly stream?: number
  readonly group: number
  readonly mpi?: number
}

export const experiment = bench({
  about: 'measures messages of groups, beside a stream without a group, and beside Open MPI',
  settings: { offline: flag('install nothing: without Open MPI') },
  where: 'network',
  prepare: ({ offline }) => {
    if (!offline) provide('mpi')
    return undefined
  },
  measure: async ({ offline }, { folder }): Promise<Row[]> => {
    const members = new MemberProcesses<Commands>(`groups-${process.pid}`, new URL('application.ts', import.meta.url))
    try {
      for (let at = 0; at < RANKS; at++) await members.start({ location: `n${at}@site${at % 2}` })
      const [first, second] = members.all as [MemberProcess<Commands>, MemberProcess<Commands>]
      await members.known()
      const rateOf = (took: number): number => (2 * MEGABYTE) / took
      const withMpi = (ranks: number, order: Order): { readonly mpi?: number } => (offline ? {} : { mpi: mpi(folder, ranks, order) })
      const group = async (count: number, order: Order): Promise<number> => await first.remote.group(count, order)
      const [ping, large] = [await first.remote.stream(second.id, PING), await first.remote.stream(second.id, LARGE)]
      const [pingMpi, largeMpi] = [withMpi(2, PING), withMpi(2, LARGE)]
      return [
        { what: 'a message of 0 bytes there and back', unit: 'µs', stream: ping, group: await group(2, PING), ...pingMpi },
        {
          what: 'messages of 1 MB there and back',
          unit: 'MB/s',
          stream: rateOf(large),
          group: rateOf(await group(2, LARGE)),
          ...(largeMpi.mpi !== undefined && { mpi: rateOf(largeMpi.mpi) }),
        },
        { what: `allReduce of 100 numbers, ${RANKS} ranks`, unit: 'µs', group: await group(RANKS, SUMS), ...withMpi(RANKS, SUMS) },
      ]
    } finally {
      members.close()
    }
  },
  table: (rows) => {
    const [ping, large] = rows as [Row, Row]
    return `${markdownTable(
      ['messages of groups', 'unit', 'a stream', 'a group', 'Open MPI'],
      rows.map(({ what, unit, stream, group, mpi: theirs }) => [what, unit, textOf(stream), textOf(group), textOf(theirs)]),
    )}

A group adds ${(ping.group - (ping.stream as number)).toFixed(0)} µs to a message there and back (target: 138, twice 69). It has ${(
      (100 * large.group) /
      (large.stream as number)
    ).toFixed(0)} % of the stream's rate (target: 61 %).`
  },
  passed: ([ping, large]) =>
    ping !== undefined &&
    large !== undefined &&
    ping.group - (ping.stream as number) <= 138 &&
    large.group >= 0.61 * (large.stream as number),
})

function textOf(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(value < 10 ? 1 : 0)
}
