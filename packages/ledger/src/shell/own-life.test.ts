import { expect, it } from 'vitest'
import type { Proposal } from '../core/messages.ts'
import { OwnLife } from './own-life.ts'

function setUp(hasEnded: (incarnation: number) => boolean) {
  const port = {
    self: { id: 'me', incarnation: 1 },
    rejoined: [] as number[],
    sign: async () => new Uint8Array(64),
    rejoin(incarnation: number): void {
      port.rejoined.push(incarnation)
      port.self = { id: 'me', incarnation: incarnation + 1 }
    },
  }
  const proposed: (Proposal | undefined)[] = []
  const life = new OwnLife(
    port as unknown as ConstructorParameters<typeof OwnLife>[0],
    async (entry) => void proposed.push(entry()),
    ({ incarnation }) => hasEnded(incarnation),
  )
  return { port, proposed, life }
}

it('a life that has ended in the ledger alone is not proposed again: the next one follows it', async () => {
  const { port, proposed, life } = setUp((incarnation) => incarnation === 1)
  await life.join()
  expect([port.rejoined, proposed]).toEqual([[1], []])
  await life.join()
  expect(port.rejoined).toEqual([1])
  expect(proposed).toMatchObject([{ kind: 'join' }])
})

it('a member that leaves begins no other life', async () => {
  const { port, proposed, life } = setUp(() => true)
  life.isLeaving = true
  await life.join()
  expect([port.rejoined, proposed]).toEqual([[], []])
})
