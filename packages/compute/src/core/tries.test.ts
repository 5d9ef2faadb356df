import { describe, expect, it } from 'vitest'
import { crashedAt, crashesAt, heldBy, joinTries, MAX_TRIES, NO_TRIES } from './tries.ts'

describe('the crashes and losses of a task', () => {
  it('are the same whoever reports them, and however often', () => {
    const left = crashedAt(crashedAt(NO_TRIES, 'a'), 'b')
    const right = crashedAt(crashedAt(NO_TRIES, 'a'), 'a')
    const joined = joinTries(left, right)
    expect(joined.crashes.toSorted()).toEqual(['a', 'a', 'b'])
    expect(joinTries(right, left).crashes.toSorted()).toEqual(['a', 'a', 'b'])
    expect(joinTries(joinTries(joined, left), right)).toEqual(joined)
    expect(crashesAt(joined, 'a')).toBe(2)
  })

  it('name each lost holder once', () => {
    expect(heldBy(heldBy(heldBy(NO_TRIES, 'a'), 'b'), 'a').holders).toEqual(['b', 'a'])
    expect(joinTries(heldBy(NO_TRIES, 'a'), heldBy(NO_TRIES, 'a')).holders).toEqual(['a'])
  })

  it('are at most sixteen names of each kind', () => {
    let tries = NO_TRIES
    for (let member = 0; member < 20; member++) tries = crashedAt(heldBy(tries, `h${member}`), `c${member}`)
    expect(tries.crashes).toHaveLength(MAX_TRIES)
    expect(tries.holders).toHaveLength(MAX_TRIES)
    expect(joinTries(tries, { crashes: ['x'], holders: ['y'] }).crashes).toHaveLength(MAX_TRIES)
  })
})
