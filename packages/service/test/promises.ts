/** The checks that the tests of many replicas share. */
import { expect } from 'vitest'
import { World } from './world.ts'

/** `SEEDS=1500` runs more. The last ones of the default found faults that others did not. */
const COUNT = Number(process.env['SEEDS'] ?? 60)
export const SEEDS = [...Array.from({ length: COUNT }, (_, at) => at + 1), ...(COUNT < 719 ? [82, 84, 96, 182, 210, 368, 550, 719] : [])]

/** The state of the primary: the operations in order. */
export function keysIn(world: World): string[] {
  const [primary] = world.primaries
  return (primary?.replica.state ?? []) as string[]
}

/** The promises after the last heal and some time. */
export function check(world: World): void {
  const note = `seed, at ${world.now}`
  expect([note, world.primaries.length]).toEqual([note, 1])
  const keys = keysIn(world)
  expect(new Set(keys).size).toBe(keys.length)
  for (const { replica, id } of world.alive) if (replica.role === 'backup') expect([id, replica.state]).toEqual([id, keys])
  for (const { key, answer, having } of world.operations) {
    if (answer === undefined || !('result' in answer)) continue
    if (!having.some((id) => world.node(id).isAlive)) continue
    expect([note, keys]).toEqual([note, expect.arrayContaining([key])])
    const place = keys.indexOf(key) + 1
    const told = world.reapplied.some((each) => each.key === key && each.before.some((result) => String(result) === answer.result))
    if (String(place) !== answer.result) expect([key, place, told]).toEqual([key, place, true])
  }
}

/** Clients call for a while, at random times. */
export function load(world: World, count: number, time: number, side: () => number = () => 0): void {
  for (let at = 0; at < count; at++) world.after(world.between(0, time), () => void world.operate(`c${at % 4}`, `k${at}`, side()))
}

/** A world with a primary and two backups. */
export function start(options: ConstructorParameters<typeof World>[0]): World {
  const world = new World(options)
  world.pass(20_000, () => world.primaries.some(({ replica }) => replica.backups.length === 2))
  expect(world.primaries.length).toBe(1)
  return world
}
