import { afterEach, expect, it, vi } from 'vitest'
import { run } from '../src/main.ts'
import { JelProcess, loopback, script } from './jel-process.ts'

// `bad-input.test.ts` shows for a few of these what the process does with status and complaint.

const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
afterEach(() => output.mockClear())

it.each([
  [['fly'], 'fly'],
  [['join'], 'pool'],
  [['join', 'p', 'q'], 'too many arguments'],
  [['join', '', ...loopback], 'pool name'],
  [['join', 'x'.repeat(10_000), ...loopback], 'pool name'],
  [['join', 'a\nb', ...loopback], 'pool name'],
  [['join', 'p', ...loopback, '--bootstrap', '--json'], '--json'],
  [['join', 'p', '--listen'], '--listen'],
  [['join', 'p', ...loopback, '--bootstrap', 'example.com'], 'example.com'],
  [['join', 'p', ...loopback, '--bootstrap', '127.0.0.1:1/p2p/12D3KooW'], '127.0.0.1:1/p2p/12D3KooW'],
  [['join', 'p', ...loopback, '--bootstrap', '/ip4/127.0.0.1/tcp/1/p2p/12D3KooWbad'], 'peer id'],
  [['join', 'p', '--listen', 'localhost:4001'], 'localhost:4001'],
  [['join', 'p', ...loopback, '--bootstrap', '/ip4/127.0.0.1/udp/4001'], 'udp'],
  [['join', 'p', '--listen', '/ip4/999.0.0.1/tcp/0'], '999.0.0.1'],
  [['join', 'p', ...loopback, '--for', 'soon'], 'soon'],
  [['join', 'p', ...loopback, '--for', '-1'], '-1'],
  [['join', 'p', ...loopback, '--for', '1e99'], '1e99'],
  [['join', 'p', ...loopback, '--elect', ''], 'election name'],
  [['join', 'p', ...loopback, '--tag', 'x'.repeat(1025)], '1024'],
  [['join', 'p', ...loopback, '--location', 'x'.repeat(5000)], 'location'],
  [['join', 'p', ...loopback, '--location', 'a\u001Bb'], 'location'],
  [['join', '', '--json'], 'pool name'],
  [['demo', '--nodes', '2'], '2'],
  [['demo', '--nodes', '51'], '51'],
  [['demo', '--nodes', 'many'], 'many'],
  [['keygen', '--key-file', 'a', '--identity', 'b'], 'one at a time'],
])('wrong usage is status 2 and one line: jel %j', async (args, named) => {
  const { status, complaint } = await run(args, script, '1.0.0')
  expect({ status, output: output.mock.calls }).toEqual({ status: 2, output: [] })
  expect(complaint).toMatch(/^[^\n]+$/u)
  expect(complaint).toContain(named)
})

it.each(['join', 'work', 'submit', 'simulate'])('help of %s does not say that a list is empty by default', async (command) => {
  expect(await run([command, '--help'], script, '1.0.0')).toEqual({ status: 0 })
  const help = output.mock.calls.map(([text]) => String(text)).join('')
  expect(help.split('\n').length).toBeGreaterThan(5)
  expect(help).not.toMatch(/default:\s+[[{]/u)
})

it('no start makes a segmenter of text, which takes 22 ms', async () => {
  const loud = 'data:text/javascript,Intl.Segmenter=class{constructor(){process.stderr.write("made")}}'
  const started = new JelProcess(['--version'], 'ignore', script, { NODE_OPTIONS: `--import=${loud}` })
  expect({ status: await started.exited, stderr: started.stderr }).toEqual({ status: 0, stderr: '' })
})
