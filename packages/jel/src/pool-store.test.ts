import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { FakeOverlay, member } from '../test/fake-overlay.ts'
import { Pool } from './pool/pool.ts'
import { poolStore } from './pool-store.ts'

it('a store gives the same snapshot until the pool changes, and calls its subscribers once a turn', async () => {
  const overlay = new FakeOverlay(member('A'), member('C'))
  const store = poolStore(new Pool(overlay, { joins: 'unreliable', elections: 'non-uniform' }))
  const seen: string[] = []
  const note = (): void =>
    void seen.push(
      store
        .getSnapshot()
        .members.map(({ id }) => id)
        .join(''),
    )
  const [end, endToo] = [store.subscribe(note), store.subscribe(note)]
  const first = store.getSnapshot()
  expect(store.getSnapshot()).toBe(first)
  overlay.tell({ type: 'joined', member: member('D') })
  overlay.tell({ type: 'joined', member: member('E') })
  await setImmediate()
  expect(store.getSnapshot()).not.toBe(first)
  const before = first.members.length
  expect(seen).toEqual([seen[0], seen[0]])
  expect(store.getSnapshot().members).toHaveLength(before + 2)
  end()
  overlay.tell({ type: 'left', member: member('D') })
  await setImmediate()
  expect(seen).toHaveLength(3)
  endToo()
  endToo()
  overlay.tell({ type: 'elected', reign: { election: 'master', epoch: 1, winner: member('A') } })
  await setImmediate()
  expect(seen).toHaveLength(3)
})
