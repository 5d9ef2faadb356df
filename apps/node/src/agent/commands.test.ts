import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CommandError, parseCommand } from './commands.ts'

function problem(line: string): { code: string; message: string; re: unknown } {
  try {
    parseCommand(line)
  } catch (error) {
    if (error instanceof CommandError) return { code: error.code, message: error.message, re: error.re }
    throw error
  }
  throw new Error(`taken as a command: ${line}`)
}

describe('a command', () => {
  it.each([
    { command: 'members', id: '7' },
    { command: 'elect', election: 'master', id: 8 },
    { command: 'result', election: 'master' },
    { command: 'maybeDead', node: '12D3' },
    { command: 'signal', name: 'go', nodes: ['12D3'], id: '9' },
    { command: 'members', location: 'delft@nl', tag: '^gpu', state: 'all' },
    { command: 'cancel', of: '9', id: 10 },
    { command: 'keys', do: 'use', key: '0123456789abcdef' },
    { command: 'leave' },
  ])('is read: $command', (command) => {
    expect(parseCommand(JSON.stringify(command))).toEqual(command)
  })

  it.each([
    ['{"command":', 'MALFORMED_JSON', undefined],
    ['hello', 'MALFORMED_JSON', undefined],
    ['[]', 'INVALID_COMMAND', undefined],
    ['null', 'INVALID_COMMAND', undefined],
    ['{}', 'INVALID_COMMAND', undefined],
    ['{"command":"members","id":{}}', 'INVALID_COMMAND', undefined],
    ['{"command":"dance","id":"1"}', 'UNKNOWN_COMMAND', '1'],
    ['{"command":"toString","id":"1"}', 'UNKNOWN_COMMAND', '1'],
    ['{"command":"elect","id":"2"}', 'INVALID_COMMAND', '2'],
    ['{"command":"elect","election":5,"id":"3"}', 'INVALID_COMMAND', '3'],
    ['{"command":"members","all":true,"id":"4"}', 'INVALID_COMMAND', '4'],
    ['{"command":"members","state":"ill","id":"4"}', 'INVALID_COMMAND', '4'],
    ['{"command":"cancel","id":"4"}', 'INVALID_COMMAND', '4'],
    ['{"command":"members","__proto__":1,"id":"5"}', 'INVALID_COMMAND', '5'],
    ['{"command":"signal","name":"go","nodes":[1],"id":"6"}', 'INVALID_COMMAND', '6'],
  ])('is refused: %s', (line, code, re) => {
    expect(problem(line)).toMatchObject({ code, re })
  })

  it('is never anything else than read or refused', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.dictionary(fc.constantFrom('command', 'id', 'election', 'nodes', 'x'), fc.jsonValue()).map((value) => JSON.stringify(value)),
        ),
        (line) => {
          try {
            parseCommand(line)
          } catch (error) {
            if (!(error instanceof CommandError)) throw error
            expect(error.message.length).toBeLessThan(400)
          }
        },
      ),
    )
  })
})
