import { describe, expect, it } from 'vitest'
import { actors, type Actor } from '../../test/actors.ts'
import { LinkedNodes } from '../../test/linked-nodes.ts'
import { factOf } from '../facts/fact.ts'
import { pageBytes } from './page.ts'

const [introducer, newcomer, neighbour] = actors(3, 4) as [Actor, Actor, Actor]
const roundTrip = 100

/**
 * Lets a newcomer receive a pool of this size from its introducer. The introducer has a link to
 * another member as well.
 */
function told(members: number, tagBytes: number): { nodes: LinkedNodes; took: number; pages: number; bytes: number } {
  const nodes = new LinkedNodes(roundTrip / 2)
  nodes.add(introducer.id)
  nodes.handle(introducer.id, { type: 'start', addresses: [], introducers: [] })
  const tag = new Uint8Array(tagBytes)
  const others = [neighbour, ...actors(members, 5)].map((actor) => factOf({ statement: actor.joined({ tag }) }))
  nodes.handle(introducer.id, { type: 'connected', peer: neighbour.id, dialable: true })
  nodes.say(neighbour.id, introducer.id, { hello: { known: 0, ended: false, incarnation: 1 } })
  for (let i = 0; i < others.length; i += 150) {
    nodes.say(neighbour.id, introducer.id, { facts: { facts: others.slice(i, i + 150), fresh: false } })
    nodes.now += 100
  }
  nodes.say(neighbour.id, introducer.id, { reconcile: { round: 2, ranges: [] } })
  expect(nodes.nodes.get(introducer.id)?.health(nodes.now).members).toBe(members + 2)
  nodes.now += 100_000

  nodes.largest = 0
  const before = nodes.sent.length
  const node = nodes.add(newcomer.id)
  nodes.handle(newcomer.id, { type: 'start', addresses: [], introducers: [{ id: introducer.id, address: Uint8Array.of(1) }] })
  nodes.link(newcomer.id, introducer.id)
  let probed = 0
  const isWhole = (): boolean => {
    // The introducer serves the other link meanwhile.
    nodes.say(neighbour.id, introducer.id, { probe: { sequence: ++probed } })
    expect(nodes.sent.at(-1)).toMatchObject({ to: neighbour.id, urgent: true })
    return node.health(nodes.now).members === members + 3
  }
  const took = nodes.until(isWhole, 120_000)
  const sent = nodes.sent.slice(before).filter(({ from, to }) => from === introducer.id && to === newcomer.id)
  const pages = sent.filter(({ data }) => data.message?.reconcile !== undefined).length
  return { nodes, took, pages, bytes: sent.reduce((sum, { data }) => sum + data.length, 0) }
}

describe('a pool too large for one message', () => {
  it.each([
    ['6,000 members with large tags', 6_000, 1_000],
    ['49,990 members', 49_990, 0],
  ])('of %s is sent to a newcomer page by page, each once, while others are served', { timeout: 300_000 }, (_, members, tagBytes) => {
    const { nodes, took, pages, bytes } = told(members, tagBytes)
    expect(pages).toBeLessThan(bytes / pageBytes + 5)
    expect(took).toBeLessThan((pages + 5) * roundTrip)
    expect(bytes).toBeLessThan(members * (tagBytes + 220))
    expect(nodes.largest).toBeLessThan(1.5 * pageBytes)
    const warnings = [...nodes.news.values()].flat().filter(({ type }) => type === 'warning')
    expect(warnings).toEqual([])
    nodes.until(() => nodes.news.get(newcomer.id)?.some(({ type }) => type === 'entered') === true, 1_000)
    expect(nodes.nodes.get(newcomer.id)?.links).toContain(introducer.id)
  })
})
