import { describe, expect, it } from 'vitest'
import { History } from './history.ts'
import { judge } from './judge.ts'
import type { LedgerLine } from '../swarm/ledger-lines.ts'
import { Told } from './told.ts'

const ordered = (index: number, text: string): LedgerLine => ({
  event: 'ordered',
  time: 0,
  index,
  payload: Buffer.from(text).toString('base64'),
})
const elected = (epoch: number, id: string): LedgerLine => ({
  event: 'elected',
  time: 0,
  election: 'a',
  epoch,
  node: { id, incarnation: 1, addresses: [] },
})

function toldOf(...lines: readonly LedgerLine[]): Told {
  const told = new Told()
  for (const line of lines) told.note(line)
  return told
}

function verdict(...all: readonly Told[]): readonly string[] {
  let now = 0
  const history = new History(() => ++now)
  for (const [at, text] of ['one', 'two', 'three'].entries()) history.order(text)('acknowledged', 2 * at + 2)
  const [input, winner] = [{ type: 'elect' as const, election: 'a', by: 'm' }, 'm']
  history.election(input)('acknowledged', { epoch: 3, winner })
  const lives = all.map((told, at) => ({ name: `m${at}`, told }))
  return judge(history, lives).map(({ text }) => text)
}

describe('the events of a process', () => {
  const whole = toldOf(ordered(2, 'one'), elected(3, 'm'), ordered(4, 'two'), ordered(6, 'three'))

  it('may have a gap, if it was told of that', () => {
    const gap: LedgerLine = { event: 'error', time: 0, code: 'LEDGER_GAP' }
    expect(verdict(whole, toldOf(ordered(2, 'one'), gap, ordered(6, 'three')))).toEqual([])
    expect(verdict(whole, toldOf(ordered(2, 'one'), ordered(6, 'three'))).join()).toContain('m1 after 0 gaps lacks 1 of 2 to 6')
  })

  it('are not the answers to its commands', () => {
    expect(verdict(whole, toldOf({ ...elected(9, 'x'), re: 1 }, { ...ordered(9, 'x'), re: 2 }))).toEqual([])
  })

  it('must reach to the end, if the process was there then', () => {
    const short = toldOf(ordered(2, 'one'))
    expect(verdict(whole, short)).toEqual([])
    short.until = 6
    expect(verdict(whole, short).join()).toContain('m1 after 0 gaps lacks 2 of 2 to 6')
  })

  it('must be all of a range, reigns too, or may lack any', () => {
    const short = toldOf(ordered(2, 'one'), ordered(6, 'three'))
    short.range = { since: Infinity, until: -Infinity }
    expect(verdict(whole, short)).toEqual([])
    short.range = { since: 0, until: 6 }
    expect(verdict(whole, short)).toEqual([
      'm1 after 0 gaps lacks 1 of 0 to 6, first 4, which m0 after 0 gaps was told of',
      'a: m1 after 0 gaps lacks 1 of 0 to 6, first 3, which m0 after 0 gaps was told of',
    ])
  })

  it('are late after an entry with a higher index, be it a message or a reign', () => {
    expect([whole.late, toldOf(ordered(4, 'two'), elected(3, 'm'), ordered(6, 'three')).late]).toEqual([0, 1])
  })

  it('have no index for a message and for a reign', () => {
    expect(verdict(toldOf(ordered(2, 'one'), elected(4, 'm'), ordered(4, 'two'))).join('\n')).toContain(
      '4 is an epoch, and the index of two',
    )
  })
})

describe('a life under the same id', () => {
  /** A candidate is killed. Its next life is in the ledger. After that another member confirms. */
  function after(isEnded: boolean): readonly string[] {
    let now = 0
    const history = new History(() => ++now)
    history.election({ type: 'elect', election: 'a', by: 'm' })('acknowledged', { epoch: 3, winner: 'm' })
    if (isEnded) history.ended('m', ['a'], ++now)
    history.election({ type: 'confirm', election: 'a', by: 'n' })('acknowledged', { epoch: 9, winner: 'm' })
    return judge(history, []).map(({ text }) => text)
  }

  it('does not win by the candidacy of the former one', () => {
    expect(after(false)).toEqual([])
    expect(after(true).join()).toContain('no order explains')
  })
})
