import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../base/usage-error.ts'
import type { Shell } from './command.ts'
import { shellCommands } from '../shell-commands.ts'
import { commands, parseCommand, type CommandName } from './table.ts'

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
    { command: 'members', order: 'join' },
    { command: 'ledger', id: 'l' },
    { command: 'confirm', election: 'master', timeout: 500, id: 'c' },
    { command: 'order', name: 'row', payload: 'aGk=' },
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
    ['{"command":"members","order":"age","id":"4"}', 'INVALID_COMMAND', '4'],
    ['{"command":"confirm","id":"4"}', 'INVALID_COMMAND', '4'],
    ['{"command":"order","name":"row","payload":"no base64","id":"4"}', 'INVALID_COMMAND', '4'],
    ['{"command":"cancel","id":"4"}', 'INVALID_COMMAND', '4'],
    ['{"command":"members","__proto__":1,"id":"5"}', 'INVALID_COMMAND', '5'],
    ['{"command":"signal","name":"go","nodes":[1],"id":"6"}', 'INVALID_COMMAND', '6'],
  ])('is refused: %s', (line, code, re) => {
    expect(problem(line)).toMatchObject({ code, re })
  })

  it('is either read or refused, whatever the line', () => {
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

describe('the line of JSON of a command of the command line', () => {
  const payload = Buffer.from('text').toString('base64')
  it.each<[CommandName, object, object]>([
    ['members', { location: 'delft', json: true }, { command: 'members', location: 'delft' }],
    ['elect', { election: 'e' }, { command: 'elect', election: 'e' }],
    ['elect', { election: 'e', result: true }, { command: 'result', election: 'e' }],
    ['elect', { election: 'e', withdraw: true }, { command: 'withdraw', election: 'e' }],
    ['maybeDead', { id: 'a' }, { command: 'maybeDead', node: 'a' }],
    ['signal', { name: 'go', ids: ['a', 'b'] }, { command: 'signal', name: 'go', nodes: ['a', 'b'] }],
    ['keys', { what: 'list' }, { command: 'keys' }],
    ['keys', { what: 'use', key: '0123456789abcdef' }, { command: 'keys', do: 'use', key: '0123456789abcdef' }],
    ['tag', { text: 'text' }, { command: 'tag', tag: payload }],
    ['event', { name: 'e' }, { command: 'event', name: 'e' }],
    ['event', { name: 'e', payload: 'text' }, { command: 'event', name: 'e', payload }],
    ['query', { name: 'q', payload: 'text', timeout: 5, tag: '^a' }, { command: 'query', name: 'q', payload, timeout: 5, tag: '^a' }],
  ])('%s %j is read', async (name, given, line) => {
    const { shell } = commands[name] as { readonly shell?: Shell }
    expect(parseCommand(JSON.stringify(await shell?.line?.(given as never)))).toEqual(line)
  })

  it('exists for each command with operands, except those about jobs', () => {
    const without = Object.entries(commands as Record<string, { readonly shell?: Shell }>).filter(
      ([, { shell }]) => shell?.operands !== undefined && shell.line === undefined,
    )
    expect(without.map(([name]) => name)).toEqual(['job', 'submit', 'map'])
  })

  it('is offered on the command line', () => {
    const offered = Object.entries(commands as Record<string, { readonly shell?: Shell }>).flatMap(([name, { shell }]) =>
      shell === undefined ? [] : [shell.name ?? name],
    )
    expect(shellCommands.map(({ name }) => name)).toEqual(expect.arrayContaining(offered))
  })
})
