import { afterEach, describe, expect, it, vi } from 'vitest'
import type { FromProgram } from '../../program/messages.ts'
import { defaultTaskLimits } from '../../program/task-limits.ts'
import type { MessageBudget } from '../../executors/container.ts'
import { MAX_FRAME_BYTES } from '../../executors/frames.ts'
import { fromBytes, toBytes } from '../../schemas.ts'
import * as v from 'valibot'
import { useFrame } from './frame-slot.ts'
import { WorkerContainer } from './worker-container.ts'
import { MAX_UNTAKEN } from './worker-window.ts'

const turn = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, 20))
const until = async (check: () => void): Promise<void> => await vi.waitFor(check, { timeout: 5_000, interval: 5 })
const opened: MessagePort[] = []

afterEach(() => {
  useFrame(undefined)
  for (const port of opened.splice(0)) port.close()
})

/** A container with the other end of its port, as the worker has it. */
async function started(file = async (): Promise<string> => await Promise.resolve('the program'), budget?: MessageBudget) {
  const messages: FromProgram[] = []
  const lost: string[] = []
  const ended: number[] = []
  const { promise, resolve } = Promise.withResolvers<MessagePort | undefined>()
  const frame = { open: (_: number, port: MessagePort) => resolve(port), end: (id: number) => void ended.push(id) }
  const onLost = (reason: string): void => {
    lost.push(reason)
    resolve(undefined)
  }
  useFrame(frame)
  const container = new WorkerContainer({ onMessages: (each) => void messages.push(...each), onLost })
  void container.start({ place: 'sandbox', job: 'job', file, limits: defaultTaskLimits, budget }, frame)
  const port = await promise
  const received: unknown[] = []
  if (port !== undefined) {
    opened.push(port)
    port.onmessage = ({ data }) => void received.push(typeof data === 'number' ? data : fromBytes(v.any(), data as Uint8Array))
  }
  return { container, port: port as MessagePort, received, messages, lost, ended }
}

describe('a program in a worker of a frame', () => {
  it('gets its text, and then the messages of batches', async () => {
    const { container, received, lost } = await started()
    container.post([{ type: 'forget', path: 'a' }])
    await until(() => expect(received).toMatchObject([{ job: 'job', program: 'the program' }, [{ type: 'forget', path: 'a' }]]))
    expect(lost).toEqual([])
  })

  it('has each batch confirmed by its length', async () => {
    const { port, received, messages } = await started()
    const batch = toBytes([{ type: 'seen', seen: 3 }])
    port.postMessage(batch)
    await until(() => expect(received.at(-1)).toBe(batch.length))
    expect(messages).toEqual([{ type: 'seen', seen: 3 }])
  })

  it('makes the sender wait while it takes nothing', async () => {
    const { container, port, received } = await started()
    const bytes = new Uint8Array(MAX_UNTAKEN / 2)
    for (let sent = 0; sent < 3; sent++) container.post([{ type: 'blob', blob: 'b', size: 1, bytes }])
    let hasRoom = false
    void container.taken().then(() => (hasRoom = true))
    await until(() => expect(received).toHaveLength(4))
    expect(hasRoom).toBe(false)
    for (let taken = 0; taken < 3; taken++) port.postMessage(bytes.length)
    await until(() => expect(hasRoom).toBe(true))
  })

  it.each<[string, (port: MessagePort) => void, string]>([
    ['something else than bytes', (port) => port.postMessage({ type: 'returned' }), 'it sent something else than messages'],
    ['a forbidden message', (port) => port.postMessage(toBytes([{ type: 'run' }])), 'type'],
    ['a confirmation of what it did not get', (port) => port.postMessage(100_000), 'it confirmed what it did not get'],
    ['a message above the limit', (port) => port.postMessage(new Uint8Array(MAX_FRAME_BYTES + 1)), 'it sends without end'],
  ])('ends if it sends %s', async (_, send, reason) => {
    const { container, port, lost, ended } = await started()
    send(port)
    await until(() => expect(lost).toEqual([expect.stringContaining(reason)]))
    expect(ended).toHaveLength(1)
    container.post([{ type: 'forget', path: 'a' }])
    await container.taken()
  })

  it('ends if it goes on to send while the member does not read', async () => {
    const budget = { charge: () => {}, wait: () => 60_000 }
    const { port, lost } = await started(undefined, budget)
    const batch = toBytes([{ type: 'store', store: 1, bytes: new Uint8Array(1_000_000), isLast: false }])
    for (let sent = 0; sent < 5; sent++) port.postMessage(batch)
    await turn()
    expect(lost).toEqual([])
    for (let sent = 0; sent < 5; sent++) port.postMessage(batch)
    await until(() => expect(lost).toEqual(['it sends without end']))
  })

  it('is lost with its page', async () => {
    const { lost } = await started()
    useFrame(undefined)
    expect(lost).toEqual(['its page is gone'])
  })

  it('is lost if its text is gone', async () => {
    const { lost } = await started(async () => await Promise.reject(new Error('the program is not on this page any more')))
    expect(lost).toEqual(['the program is not on this page any more'])
  })

  it('ends without an event if the member ends it', async () => {
    const { container, lost, ended, port } = await started()
    await container.end()
    port.postMessage(toBytes([{ type: 'seen', seen: 3 }]))
    await turn()
    expect(lost).toEqual([])
    expect(ended).toHaveLength(1)
  })
})
