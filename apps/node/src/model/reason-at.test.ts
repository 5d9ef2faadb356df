import { expect, it } from 'vitest'
import { reasonAt } from './reason-at.ts'

it('an address stands once before the reason why it does not answer', () => {
  const address = '/ip4/127.0.0.1/tcp/9'
  for (const reason of ['connection refused', `${address}: connection refused`])
    expect(reasonAt(address, reason)).toBe(`${address}: connection refused`)
})
