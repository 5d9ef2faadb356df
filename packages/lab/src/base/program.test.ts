import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { chosen, positive, whole, wholes } from './program.ts'

it.each([
  ['nothing', () => whole('runs', ''), '--runs takes a whole number from 1 on, not nothing'],
  ['a word', () => whole('runs', 'x'), '--runs takes a whole number from 1 on, not x'],
  ['a part', () => whole('runs', '2.5'), '--runs takes a whole number from 1 on, not 2.5'],
  ['too few', () => wholes('nodes', '50,1', 2), '--nodes takes a whole number from 2 on, not 1'],
  ['zero', () => positive('seconds', '0'), '--seconds takes a number above 0, not 0'],
  ['no end', () => positive('seconds', 'Infinity'), '--seconds takes a number above 0, not Infinity'],
  ['who is unknown', () => chosen('only', 'a,c', ['a', 'b']), '--only: there is no c; expected of a, b'],
])('refuses %s, and names the flag', (_, read, message) => {
  expect(read).toThrow(message)
})

/** Runs a program with this body, and with a timer that would keep it alive for a minute. */
function ends(body: string): { status: number | null; stderr: string } {
  const program = `import { parseArgs } from 'node:util'
    import { run, whole } from ${JSON.stringify(new URL('program.ts', import.meta.url).href)}
    await run(async () => { const timer = setTimeout(() => {}, 60_000); ${body}; clearTimeout(timer) })`
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', timeout: 30_000 })
}

it('ends with status 2 and one line for a mistake of the caller, also with something under way', () => {
  expect(ends(`whole('runs', 'x')`)).toMatchObject({ status: 2, stderr: '--runs takes a whole number from 1 on, not x\n' })
  const unknown = ends(`parseArgs({ args: ['--nonsense'], options: {} })`)
  expect(unknown.status).toBe(2)
  expect(unknown.stderr).toMatch(/^Unknown option '--nonsense'.*\n$/u)
})

it('ends with status 1 and a stack for a bug, and otherwise with what was returned', () => {
  const bug = ends('null.x')
  expect(bug.status).toBe(1)
  expect(bug.stderr).toContain('    at ')
  expect(ends('clearTimeout(timer); return 3').status).toBe(3)
  expect(ends('').status).toBe(0)
})

it('shows how it is used when it is asked for help, and runs nothing', () => {
  const program = `import { command } from ${JSON.stringify(new URL('program.ts', import.meta.url).href)}
    const how = command('how\\n', { size: { type: 'string', default: '3' } }, async ({ size }) => Number(size))
    process.exitCode = await how.run(process.argv.slice(1))`
  const flagged = (...flags: string[]): unknown =>
    spawnSync(process.execPath, ['--input-type=module', '-e', program, '--', ...flags], { encoding: 'utf8', timeout: 30_000 })
  expect(flagged('--help')).toMatchObject({ status: 0, stdout: 'how\n' })
  expect(flagged()).toMatchObject({ status: 3, stdout: '' })
  expect(flagged('--size', '4')).toMatchObject({ status: 4, stdout: '' })
})
