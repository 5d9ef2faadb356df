import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { describe, optional, parse, positive, readWhole, seconds, someOf, whole, wholes, type Setting } from './settings.ts'

const setting = (read: Setting<unknown>, given: string) => () => parse({ perHost: read }, ['--per-host', given])

it.each([
  ['nothing', setting(whole(1, ''), ''), '--per-host takes a whole number from 1 on, not nothing'],
  ['a word', setting(whole(1, ''), 'x'), '--per-host takes a whole number from 1 on, not x'],
  ['a fraction', setting(whole(1, ''), '2.5'), '--per-host takes a whole number from 1 on, not 2.5'],
  ['too few', setting(wholes('2', '', 2), '50,1'), '--per-host takes a whole number from 2 on, not 1'],
  ['too few of an optional setting', setting(optional('N', '', readWhole), '0'), '--per-host takes a whole number from 1 on, not 0'],
  ['zero', setting(positive(1, ''), '0'), '--per-host takes a number above 0, not 0'],
  ['infinity', setting(seconds(1, ''), 'Infinity'), '--per-host takes a number above 0, not Infinity'],
  ['an unknown name', setting(someOf(['a', 'b']), 'a,c'), '--per-host: there is no c; expected of a, b'],
])('refuses %s, and names the flag in the message', (_, read, message) => {
  expect(read).toThrow(message)
})

it('reads seconds as milliseconds, takes defaults, and lists the settings', () => {
  const settings = { idle: seconds(2.5, 'of rest', { orNone: true }), perHost: whole(10, 'agents'), only: someOf(['a', 'b']) }
  expect(parse(settings, []).values).toEqual({ idle: 2_500, perHost: 10, only: ['a', 'b'] })
  expect(parse(settings, ['--idle', '0', 'file']).operands).toEqual(['file'])
  expect(parse(settings, ['--idle', '0']).values.idle).toBe(0)
  expect(describe(settings)).toBe('  --idle 2.5      of rest\n  --per-host 10   agents\n  --only a,b')
})

/** Runs a program with this body. A timer would keep the program alive for a minute. */
function ends(body: string): { status: number | null; stderr: string } {
  const program = `import { run } from ${JSON.stringify(new URL('program.ts', import.meta.url).href)}
    import { parse, whole } from ${JSON.stringify(new URL('settings.ts', import.meta.url).href)}
    const read = (...args) => parse({ runs: whole(1, '') }, args)
    await run(async () => { const timer = setTimeout(() => {}, 60_000); ${body}; clearTimeout(timer) })`
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', timeout: 30_000 })
}

it('ends with status 2 and one line after a mistake of the user, also while other work is pending', () => {
  expect(ends(`read('--runs', 'x')`)).toMatchObject({ status: 2, stderr: '--runs takes a whole number from 1 on, not x\n' })
  const unknown = ends(`read('--nonsense')`)
  expect(unknown.status).toBe(2)
  expect(unknown.stderr).toMatch(/^Unknown option '--nonsense'.*\n$/u)
})

it('ends with status 1 and a stack trace after a bug, and otherwise with the returned status', () => {
  const bug = ends('null.x')
  expect(bug.status).toBe(1)
  expect(bug.stderr).toContain('    at ')
  expect(ends('clearTimeout(timer); return 3').status).toBe(3)
  expect(ends('').status).toBe(0)
})
