import type { Stream } from '@libp2p/interface'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { until } from '../../test/peers.ts'
import { enter, leaveAll, pool, type Node } from '../../test/pool.ts'
import { poolNames } from '../base/names.ts'
import { LinkReports, parseLinks } from './link-reports.ts'

afterEach(leaveAll)

describe('the links of a pool', () => {
  it('are reported by each member that is asked, from both ends, with round trips where one end probes the other', async () => {
    const nodes = await pool(3)
    const [first, second] = nodes as [Node, Node, Node]
    await vi.waitUntil(async () => (await first.overlay.links()).length === 2, 10_000)
    expect((await first.overlay.links()).map(({ id }) => id)).toEqual(
      nodes
        .map(({ id }) => id)
        .filter((id) => id !== first.id)
        .toSorted(),
    )
    const reported = await first.overlay.linksOf(second.id)
    expect(reported.map(({ id }) => id)).toContain(first.id)
    await vi.waitUntil(async () => (await first.overlay.links()).some(({ roundTrip }) => roundTrip !== undefined), 30_000)
  })

  it('leave no stream of an asker that sends bytes', async () => {
    const [asker, asked] = (await pool(2)) as [Node, Node]
    const { reports } = poolNames('test')
    const stream = await asker.overlay.open(asked.id, reports)
    for (let sent = 0; sent < 1_000 && stream.status === 'open'; sent++) stream.send(Uint8Array.of(0))
    const streams = (): string[] => asked.overlay.libp2p.getConnections().flatMap((each) => each.streams.map(({ protocol }) => protocol))
    await until(() => !streams().includes(reports))
  })

  it('are asked of members only, and reported at a limited rate', async () => {
    const [first, second] = (await pool(2)) as [Node, Node]
    await expect(first.overlay.linksOf('12D3KooWnobody')).rejects.toMatchObject({ code: 'UNKNOWN_MEMBER' })
    let answers = 0
    const askOn = async (): Promise<void> => {
      for (; answers < 2_000; answers += 1) await first.overlay.linksOf(second.id)
    }
    await expect(askOn()).rejects.toMatchObject({ code: 'OPEN_FAILED' })
    // The limiter allows ten seconds' worth at once.
    expect(answers).toBeGreaterThanOrEqual(200)
    expect(first.overlay.members()).toHaveLength(2)
  })
})

it('bytes and connections are counted, of closed connections too', async () => {
  const [first, second] = (await pool(2)) as [Node, Node]
  const { sent, received, connections } = await first.overlay.traffic()
  expect(sent).toBeGreaterThan(500)
  expect(received).toBeGreaterThan(500)
  expect(connections).toBeGreaterThan(0)
  await second.overlay.leave()
  await vi.waitUntil(async () => (await first.overlay.traffic()).connections === 0, 10_000)
  expect((await first.overlay.traffic()).sent).toBeGreaterThanOrEqual(sent)
})

it('the times that a detection and a reconciliation took are measured', async () => {
  const [first, , third] = (await pool(3)) as [Node, Node, Node]
  await third.overlay.libp2p.stop()
  const measured = (what: string): { took: number }[] =>
    first.heard.flatMap((each) => (each.type === 'measured' && each.what === what ? [each] : []))
  await until(() => measured('detection').length === 1, 20_000)
  expect(first.heard).toContainEqual({ type: 'measured', what: 'detection', member: third.id, took: expect.any(Number) })
  const last = await enter({ bootstrap: first.overlay.self.addresses })
  await until(() => last.heard.length > 0 || measured('reconciliation').length > 0, 20_000)
})

describe('an answer', () => {
  it.each(['', '{}', '[["12D3",-1]]', '[["12D3","x"]]', '[[7]]', '["12D3"]', '[["<b>"]]'])('is refused: %s', (text) => {
    expect(() => parseLinks(text)).toThrow(/links|JSON/u)
  })

  it('is refused where it is too long', () => {
    expect(() => parseLinks(JSON.stringify(Array.from({ length: 257 }, () => ['12D3'])))).toThrow('no list of links')
  })

  it('is read', () => {
    expect(parseLinks('[["12D3",3],["12D4"]]')).toEqual([
      { id: '12D3', roundTrip: 3 },
      { id: '12D4', roundTrip: undefined },
    ])
  })
})

it('a stream ends five seconds after the answer, though the asker does not end its side', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const handlers: ((stream: Stream) => Promise<void>)[] = []
  const streams = { open: vi.fn<() => never>(), handle: (_: string, handler: never) => Promise.resolve(void handlers.push(handler)) }
  await new LinkReports(streams, '/links', () => []).start()
  const stream = Object.assign(new EventTarget(), { send: vi.fn(), abort: vi.fn<() => void>(), close: () => Promise.resolve() })
  await handlers[0]!(stream as unknown as Stream)
  expect(stream.send).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(4_999)
  expect(stream.abort).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(stream.abort).toHaveBeenCalledOnce()
})
