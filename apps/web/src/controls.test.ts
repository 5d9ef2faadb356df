import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ComputePanel } from './compute-panel.ts'
import { Entrance } from './entrance.ts'

vi.mock('@jel/node/page', () => ({
  plainText: (text: string) => text,
  shortId: (id: string) => id,
  durationText: (time: number) => String(time),
}))

/** An element of a page, as far as the controls use it. */
class FakeElement {
  textContent = ''
  title = ''
  append(): void {}
  after(): void {}
  addEventListener(): void {}
  close(): void {}
  appendChild<Child>(child: Child): Child {
    return child
  }
}

let made: FakeElement[] = []

beforeEach(() => {
  made = []
  const createElement = (): FakeElement => {
    const element = new FakeElement()
    made.push(element)
    return element
  }
  const nothing = (): void => {}
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('document', { createElement, querySelector: nothing, addEventListener: nothing, body: new FakeElement(), hidden: false })
})
afterEach(() => void vi.unstubAllGlobals())

it('the panel says why the tab could not begin to compute', () => {
  const panel = new ComputePanel({ onStart: () => {}, onStop: () => {} })
  panel.take(undefined, 'no room on this disk')
  expect(made.map(({ textContent }) => textContent)).toContain('could not begin to compute: no room on this disk')
})

it('the title of the button that cancels says the same as the button', () => {
  const entrance = new Entrance({ onEnter: () => {}, onLeave: () => {} })
  const button = (): string[] => made.filter(({ title }) => title !== '').map(({ textContent, title }) => `${textContent}: ${title}`)
  entrance.entering()
  expect(button()).toEqual(['cancel: do not enter the pool'])
  entrance.entered()
  expect(button()).toEqual(['leave: leave the pool'])
})
