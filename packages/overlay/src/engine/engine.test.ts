import { ProtocolNode, type Effect, type Input } from '@jel/protocol'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { bytes, until } from '../../test/peers.ts'
import { leaveAll, pool, type Node } from '../../test/pool.ts'

afterEach(async () => {
  vi.restoreAllMocks()
  await leaveAll()
})

/**
 * Adds effects, once, to the effects of the next command at any node. Records the frames that
 * arrive.
 */
function tamper(): { add: (...effects: ((now: number) => Effect)[]) => void; frames: string[] } {
  const waiting: ((now: number) => Effect)[] = []
  const frames: string[] = []
  const handle = ProtocolNode.prototype.handle
  vi.spyOn(ProtocolNode.prototype, 'handle').mockImplementation(function (this: ProtocolNode, input: Input, now: number) {
    if (input.type === 'frame') frames.push(new TextDecoder().decode(input.data))
    const effects = handle.call(this, input, now)
    if (input.type === 'command') effects.push(...waiting.splice(0).map((effect) => effect(now)))
    return effects
  })
  return { add: (...effects) => waiting.push(...effects), frames }
}

describe('a pause that the protocol asks for', () => {
  test('holds back all that the peer sends until it ends, except urgent frames', async () => {
    const { add, frames } = tamper()
    const [a, b] = (await pool(2)) as [Node, Node]
    const signalled = (): boolean => a.heard.some(({ type }) => type === 'signal')
    const pause = 600
    const began = performance.now()
    add((now) => ({ type: 'pause', peer: b.id, until: now + pause }))
    a.overlay.maybeDead('nobody')
    add(() => ({ type: 'send', to: a.id, data: bytes('urgent'), urgent: true }))
    const sent = b.overlay.signal('go', [a.id])
    await until(() => frames.includes('urgent'))
    expect({ signalled: signalled(), isEarly: performance.now() - began < pause }).toEqual({ signalled: false, isEarly: true })
    await sent
    expect({ signalled: signalled(), isEarly: performance.now() - began < pause }).toEqual({ signalled: true, isEarly: false })
  })
})
