/** Programs that harm the members that run them, by mistake or not. */
import { task } from '@jel/compute/program'

export const measures = task((bytes: Uint8Array) => bytes.length)

/** Spawns children whose inputs exceed one message. */
export const sends = task(async (children: number, { run }) => {
  const inputs = Array.from({ length: children }, (_, number) => new Uint8Array(1_000_000).fill(number))
  const lengths = await Promise.all(inputs.map((input) => run(measures, input)))
  return lengths.reduce((sum, each) => sum + each, 0)
})

/**
 * Exceeds the heap limit. The list grows in large steps, so V8 has no time to raise an error in a
 * thread. It ends the process.
 */
export const pushes = task(() => {
  const list: number[] = []
  for (;;) list.push(0.5)
})

export const throwsNothing = task(() => {
  throw Object.create(null)
})

export const throwsMember = task(() => {
  throw Object.assign(new Error('mine'), { member: 'm'.repeat(1000) })
})

const later = (action: () => void): void => void setTimeout(action, 20)
const fail = (): never => {
  throw new Error('nobody catches this')
}

/** Sets a timer that throws while the task waits for something. */
export const throwsLater = task(async () => {
  later(fail)
  await new Promise(() => {})
})

/** Leaves timers and promises that fail after it has returned, while another task runs. */
export const leavesBehind = task(async (_: unknown, { run }) => {
  await run(leaver, undefined)
  return await run(rests, 100)
})
export const leaver = task(() => {
  later(fail)
  later(() => void Promise.reject(new Error('nor this')))
  void Promise.reject(new Error('nor that'))
})
export const rests = task(async (ms: number) => {
  await new Promise<void>((resolve) => void setTimeout(resolve, ms))
  return 'rested'
})

/** Contains text that looks like a comment or like an import, and is neither. */
export const speaks = task((n: number) => {
  let count = n
  let steps = 0
  while (count-- > 0) steps++
  const words = ['<!-- x -->', `<!-- ${steps} -->`, 'import("x")', 'an import (of tea)', "\\import('y')", '\u{1f600}-->']
  return [...words, /<!--|-->/u.test(words[0] as string), /import(?=\()/u.test(words[2] as string), steps]
})

/** Contains a class with another name inside, and a test whether `process` exists. */
export const guarded = task(() => {
  const Outer = class Inner {
    again(): Inner {
      return new Inner()
    }
  }
  const host = typeof process === 'object' ? process.version : 'none'
  return [new Outer().again() instanceof Outer, typeof host]
})
