import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FrameSaves } from './frame-saves.ts'
import type { FromProgram } from './messages.ts'

type Said = Omit<Extract<FromProgram, { type: 'saved' }>, 'type' | 'path'>

let said: Said[]
let left: number
let saves: FrameSaves
beforeEach(() => {
  vi.useFakeTimers()
  ;[said, left] = [[], 0]
  saves = new FrameSaves(
    (each) => void said.push(each),
    () => left++,
  )
})
afterEach(() => vi.useRealTimers())

const idle = async (): Promise<void> => await Promise.resolve()
const save = async (byte: number): Promise<void> => await saves.save(Uint8Array.of(byte), idle)
const bytes = (): (number | undefined)[] => said.map(({ state }) => state?.[0])

describe('the states of a task', () => {
  it('go out at most once a second, and a later one replaces an earlier one', async () => {
    await save(1)
    expect(bytes()).toEqual([1])
    for (const byte of [2, 3, 4]) await save(byte)
    expect(bytes()).toEqual([1])
    vi.advanceTimersByTime(999)
    expect(bytes()).toEqual([1])
    vi.advanceTimersByTime(1)
    expect(bytes()).toEqual([1, 4])
    vi.advanceTimersByTime(5000)
    await save(5)
    expect(bytes()).toEqual([1, 4, 5])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('go out no more once the task has an outcome', async () => {
    await save(1)
    await save(2)
    saves.end()
    vi.advanceTimersByTime(5000)
    expect(bytes()).toEqual([1])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a task that must stop', () => {
  it('ends with its next state, and goes on nowhere here', async () => {
    await save(1)
    await save(2)
    saves.stop(false)
    // The earlier state goes out at once.
    expect(said).toEqual([{ state: Uint8Array.of(1) }, { state: Uint8Array.of(2) }])
    let goesOn = false
    void save(3).then(() => (goesOn = true))
    await vi.advanceTimersByTimeAsync(5000)
    expect(said.slice(2)).toEqual([{ state: Uint8Array.of(3) }, { last: true }])
    expect([goesOn, left, saves.hasLeft]).toEqual([false, 1, true])
  })

  it('ends in the save at which it hears so', async () => {
    let goesOn = false
    void saves
      .save(Uint8Array.of(1), async () => {
        await Promise.resolve()
        saves.stop(false)
      })
      .then(() => (goesOn = true))
    await vi.advanceTimersByTimeAsync(0)
    expect(said).toEqual([{ state: Uint8Array.of(1) }, { last: true }])
    expect([goesOn, left]).toEqual([false, 1])
  })

  it('has nothing to save while it waits for children', async () => {
    await save(1)
    saves.stop(true)
    expect(said.at(-1)).toEqual({ last: true })
    expect(left).toBe(0)
  })

  it('is not waited for if it never saves', () => {
    saves.stop(true)
    expect(said).toEqual([])
  })

  it('says nothing and goes on nowhere if its member has given it up', async () => {
    await save(1)
    await save(2)
    saves.forget()
    let goesOn = false
    void save(3).then(() => (goesOn = true))
    await vi.advanceTimersByTimeAsync(5000)
    expect(bytes()).toEqual([1])
    expect([goesOn, left]).toEqual([false, 1])
  })
})
