import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { JelProcess, join1, loopback, run, runtime, script } from './jel-process.ts'
import { PseudoTerminal } from './pseudo-terminal.ts'

const hasScript = spawnSync('script', ['--version']).status === 0
const jel = `'${process.execPath}' '${script}'`
/** Runs a command between two prints of the terminal's modes, and prints its status. */
const around = (command: string): string => `echo modes=$(stty -g); ${command}; echo status=$?; echo modes=$(stty -g)`
const size = { columns: 100, rows: 24 }

/** Compares the modes before and after, and returns the status. */
function endOf({ written }: PseudoTerminal): { same: boolean; status: string | undefined; shown: boolean } {
  const [before, after] = [...written.matchAll(/modes=(\S+)/gu)].map(([, modes]) => modes)
  const screens = [...written.matchAll(/\p{Cc}\[\?(1049|25)([hl])/gu)].map(([, what, how]) => `${what}${how}`)
  return {
    same: before === after,
    status: /status=(\d+)/u.exec(written)?.[1],
    shown: screens.lastIndexOf('1049l') > screens.lastIndexOf('1049h') && screens.at(-2) === '25h',
  }
}
const PROGRAM = `
import { task } from '@jel/compute/program'
export const busy = task((n) => { for (const end = performance.now() + 20; performance.now() < end; ); return n })
export const slow = task(async (count, { run }) => (await Promise.all(Array.from({ length: count }, (_, n) => run(busy, n)))).length)
`
const RESTORED = { same: true, shown: true }

it.skipIf(!hasScript)('jel join on a terminal shows tags, addresses and epochs, and q leaves the pool', async () => {
  const other = await join1('watched', '--location', 'b@delft', '--tag', 'cpu=16')
  const terminal = new PseudoTerminal(
    around(`${jel} join watched --listen 127.0.0.1:0 --bootstrap ${other.address} --location a@delft --tag gpu=2 --elect master`),
    size,
  )
  await terminal.sees(/^elected +master: …\w{8}, epoch 1$/u)
  await terminal.sees(/^\* …\w{8} +here +\d+ s +(?:\d+(?:\.\d)? ms +)?a@delft +gpu=2 +127\.0\.0\.1:\d+ +master \(1\)$/u)
  await terminal.sees(
    new RegExp(`^ {2}…${other.id.slice(-8)} +here +\\d+ s +(?:\\d+(?:\\.\\d)? ms +)?b@delft +cpu=16 +127\\.0\\.0\\.1:\\d+$`, 'u'),
  )

  // No id of a node contains an equals sign. Without the sign, an id with "cPU" passed the filter.
  terminal.type('/cpu=')
  await terminal.sees(/^filter +cpu=_ +1 of 2$/u)
  terminal.type('\r')
  await terminal.sees(/^filter +cpu= +1 of 2$/u)
  expect(terminal.lines.filter((line) => /^[ *] …\w{8} +here/u.test(line))).toEqual([expect.stringContaining('cpu=16')])
  terminal.type('d')
  await terminal.sees(new RegExp(`^id +${other.id}$`, 'u'))
  await terminal.sees(new RegExp(`^address +${other.address}$`, 'u'))
  terminal.type('?')
  await terminal.sees(/^ +PgUp PgDn +a page up or down/u)
  terminal.type('?q')
  await other.until(() => other.told('left').length > 0, 'left')
  expect(await terminal.exited).toBe(0)
  expect(endOf(terminal)).toEqual({ ...RESTORED, status: '0' })
  expect(terminal.written).toMatch(/left watched after \d+ s/u)
})

it.skipIf(!hasScript)('jel top shows the view of the running node, and each death', async () => {
  const node = await join1('topped', '--location', 'a@delft', '--elect', 'master')
  await node.until(() => node.of('elected').length > 0, 'elected')
  const other = await join1('topped', '--location', 'b@delft', '--bootstrap', node.address, '--no-control')
  await node.until(() => node.told('joined').includes(other.id), 'joined')

  const terminal = new PseudoTerminal(around(`${jel} top topped`), { columns: 200, rows: 40 })
  await terminal.sees(/^topped {2}2 members {2}for \d+ s$/u)
  await terminal.sees(new RegExp(`^\\* ${node.id} +here .* master \\(1\\)$`, 'u'))
  other.child.kill('SIGKILL')
  await terminal.sees(new RegExp(`^ {2}${other.id} +died`, 'u'), 30_000)
  await terminal.sees(/^\d\d:\d\d:\d\d {2}died …/u)
  await terminal.sees(/^topped {2}1 member {2}1 died/u)
  terminal.type('q')
  expect(await terminal.exited).toBe(0)
  expect(endOf(terminal)).toEqual({ ...RESTORED, status: '0' })

  // Without a terminal it prints the picture once.
  const { status, lines } = await run('top', 'topped')
  expect(status).toBe(0)
  expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^\\* ${node.id} +here +\\d+ s +a@delft .*master \\(1\\)$`, 'u')))
  expect(await run('top', 'nobody')).toMatchObject({ status: 1, stderr: expect.stringContaining('no node of the pool nobody runs here') })
})

it.skipIf(!hasScript)('jel top shows the jobs at a key: how far each function is, who works, and how a job ended', async () => {
  const file = join(runtime, 'program.js')
  writeFileSync(file, PROGRAM)
  const node = new JelProcess(['work', 'seen', '--json', '--workers', '1', ...loopback, '--owner', join(runtime, 'owner')])
  await node.until(() => node.of('started').length > 0, 'started')
  const terminal = new PseudoTerminal(around(`${jel} top seen`), { columns: 100, rows: 30 })
  await terminal.sees(/^seen {2}1 member/u)
  terminal.type('\t')
  await terminal.sees(/the pool has no jobs/u)
  node.send({ command: 'submit', file, function: 'slow', input: 400, name: 'sleepy', until: 'ended' })
  await terminal.sees(/^sleepy +\d+ % +\d+ +\d+(\.\d)? +\d+(\.\d)? ms +\d+ +\d+$/u)
  await terminal.sees(/^ {2}active for .*, 1 of 1 members at work/u)
  await terminal.sees(/^ {2}busy +\d+ +[\d.]+ +\d+ ms$/u)
  await terminal.sees(new RegExp(`^ {2}…${node.id.slice(-8)} +\\d+ `, 'u'))
  await terminal.sees(/^sleepy +100 % +401 /u)
  await terminal.sees(/^ {2}done, after [\d.]+ s, 1 member, [\d.]+ s of work$/u)
  terminal.type('\t')
  await terminal.sees(new RegExp(`^\\* …${node.id.slice(-8)} +here`, 'u'))
  terminal.type('q')
  expect(await terminal.exited).toBe(0)
})

it.skipIf(!hasScript)('jel top and jel join show leases and groups at a key, and ask for them meanwhile', async () => {
  const node = await join1('held', '--offer', 'cpus=4', '--runs', 'members')
  const end = node.id.slice(-8)
  const [top, joined] = [`${jel} top held --node ${end}`, `${jel} join held --listen 127.0.0.1:0 --bootstrap ${node.address}`].map(
    (command) => new PseudoTerminal(command, { columns: 100, rows: 30 }),
  ) as [PseudoTerminal, PseudoTerminal]
  for (const terminal of [top, joined]) {
    await terminal.sees(/^held {2}2 members/u)
    terminal.type('l')
    await terminal.sees(new RegExp(`^…${end} +offers ranks=1 cpus=4|^…${end} +offers cpus=4 ranks=1`, 'u'))
  }
  expect((await run('lease', 'held', end, 'cpus=3', '--for', '600', '--node', end)).status).toBe(0)
  for (const terminal of [top, joined]) await terminal.sees(new RegExp(`^ {2}lease 1 +cpus=3, …${end}, ends in 9 min 5\\d s$`, 'u'))
  const file = join(runtime, 'forever.js')
  writeFileSync(file, 'setInterval(() => {}, 1000)')
  const first = new JelProcess(['run', 'held', file, '--node', end])
  await top.sees(/^ {2}…\w{8} +rank 0 of 1, running/u)
  const second = new JelProcess(['run', 'held', file, '--node', end, '--within', '60'])
  await top.sees(/^forever\.js \w{8} +holding: 0 of 1 held, 1 waits, 1 refuses, started by/u)
  await joined.sees(/^ {2}…\w{8} +waits for forever\.js \w{8} \(running\)/u)
  top.type('l')
  await top.sees(new RegExp(`^\\* …${end} +here`, 'u'))
  for (const each of [first, second]) each.child.kill('SIGINT')
  for (const terminal of [top, joined]) {
    terminal.type('q')
    expect(await terminal.exited).toBe(0)
  }
})

it.skipIf(!hasScript)('jel top ends with the node', async () => {
  const node = await join1('ended')
  const terminal = new PseudoTerminal(around(`${jel} top ended`), size)
  await terminal.sees(/^ended {2}1 member/u)
  node.send({ command: 'leave' })
  expect(await terminal.exited).toBe(0)
  expect(endOf(terminal)).toEqual({ ...RESTORED, status: '0' })

  const killed = await join1('ended')
  const watcher = new PseudoTerminal(around(`${jel} top ended`), size)
  await watcher.sees(/^ended {2}1 member/u)
  killed.child.kill('SIGKILL')
  await watcher.exited
  expect(endOf(watcher)).toEqual({ ...RESTORED, status: '1' })
  expect(watcher.written).toContain('jel: the node closed the connection')
})

it.skipIf(!hasScript).each([
  ['Ctrl-C', '\u0003', '0'],
  ['a signal', '', '0'],
  ['a crash', '', '1'],
])('the terminal is restored after %s', async (how, keys, status) => {
  await join1('restored')
  const crash = 'data:text/javascript,setTimeout(()=>{throw new Error(`crash`)},3000)'
  const start = how === 'a crash' ? `NODE_OPTIONS='--import="${crash}"' ` : ''
  const terminal = new PseudoTerminal(around(`${start}sh -c "echo pid=\\$\\$; exec ${jel} top restored"`), size)
  await terminal.sees(/^restored {2}1 member/u)
  if (how === 'a signal') process.kill(Number(/pid=(\d+)/u.exec(terminal.written)?.[1]), 'SIGTERM')
  terminal.type(keys)
  await terminal.exited
  expect(endOf(terminal)).toEqual({ ...RESTORED, status })
})

it.skipIf(!hasScript)('Ctrl-Z gives the terminal to the shell, and fg shows the pool again', async () => {
  await join1('stopped')
  const terminal = new PseudoTerminal('PS1= bash --norc --noprofile -i', size)
  terminal.type(`${jel} top stopped\n`)
  await terminal.sees(/^stopped {2}1 member/u)
  terminal.type('\u001A')
  await terminal.until(() => terminal.written.includes('Stopped'), 'stopped')
  terminal.type(`echo 'the shell has '"it"\n`)
  await terminal.until(() => terminal.written.includes('the shell has it'), 'the shell')
  const before = terminal.written.length
  terminal.type('fg\n')
  await terminal.until(
    () => /1049h.*stopped {2}1 member/su.test(terminal.written.slice(before).replaceAll(/\p{Cc}\[[\d;]*m/gu, '')),
    'again',
  )
  terminal.type('q')
  await terminal.until(() => terminal.written.slice(before).includes('?1049l'), 'the end')
  terminal.type('exit\n')
  expect(await terminal.exited).toBe(0)
})

it.skipIf(!hasScript)('the picture is drawn anew when the terminal changes its size', async () => {
  const node = await join1('resized')
  const narrow = join(runtime, 'narrow')
  const resize = `(while [ ! -e '${narrow}' ]; do sleep 0.1; done; stty cols 60 rows 12 < /dev/tty) &`
  const terminal = new PseudoTerminal(`${resize} exec ${jel} top resized`, { columns: 200, rows: 40 })
  await terminal.sees(new RegExp(`^\\* ${node.id} +here`, 'u'))
  writeFileSync(narrow, '')
  await terminal.sees(new RegExp(`^\\* …${node.id.slice(-8)} +here`, 'u'))
  await terminal.until(() => terminal.lines.length <= 12 && terminal.lines.every((line) => line.length <= 60), 'a small picture')
  terminal.type('q')
  expect(await terminal.exited).toBe(0)
})

it.skipIf(!hasScript)('a terminal that does not know its size is treated as one of 80 by 24', async () => {
  const terminal = new PseudoTerminal(around(`${jel} join sizeless --listen 127.0.0.1:0`), { columns: 0, rows: 0 })
  await terminal.sees(/^\* …\w{8} +here/u)
  expect(terminal.lines).toHaveLength(24)
  terminal.type('q')
  await terminal.exited
  expect(endOf(terminal)).toEqual({ ...RESTORED, status: '0' })
})

it.skipIf(!hasScript)('where standard input is no terminal the pool is shown, without keys', async () => {
  const terminal = new PseudoTerminal(around(`${jel} join keyless --listen 127.0.0.1:0 --for 3 < /dev/null`), size)
  await terminal.sees(/^\* …\w{8} +here/u)
  await terminal.sees(/^Ctrl-C: leave$/u)
  await terminal.exited
  expect(endOf(terminal)).toEqual({ ...RESTORED, status: '0' })
})

it.skipIf(!hasScript)('a node in the background of a shell draws nothing, and is not stopped', async () => {
  const terminal = new PseudoTerminal('PS1= bash --norc --noprofile -i', size)
  terminal.type(`${jel} join behind --listen 127.0.0.1:0 --for 2 &\n`)
  await terminal.until(() => /Z started 12D3\w+ at .*\n.*joined/su.test(terminal.written), 'lines')
  await terminal.until(() => /Z stopped/u.test(terminal.written), 'stopped')
  expect(terminal.written).not.toContain('?1049h')
  terminal.type('exit\n')
  await terminal.exited
})
