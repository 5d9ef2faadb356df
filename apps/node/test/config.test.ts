import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { JelProcess, join1, run, runtime } from './jel-process.ts'

/** Writes a file, and returns its path. */
function config(name: string, content: unknown): string {
  const path = join(runtime, `${name}.json`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

it('a node takes its flags from a file, and flags of the command line override them', async () => {
  const first = await join1('configured')
  const handled = join(runtime, 'configured.handled')
  const path = config('all', {
    bootstrap: [first.address],
    listen: '127.0.0.1:0',
    location: 'a@delft',
    tag: 'from the file',
    elect: ['one', 'other'],
    control: false,
    json: true,
    require: 2,
    timeout: 20,
    'log-file': join(runtime, 'configured.log'),
    logFormat: 'json',
    on: { joined: `touch '${handled}'` },
  })
  const node = new JelProcess(['join', 'configured', '--config', path, '--tag', 'from the command line'])
  await node.until(() => node.of('elected').length === 2, 'elected')
  expect(node.of('started')[0]?.node).toMatchObject({ location: 'a@delft', tag: Buffer.from('from the command line').toString('base64') })
  expect(node.told('joined')).toContain(first.id)
  await node.until(() => existsSync(handled) && existsSync(join(runtime, 'configured.log')), 'a handler and a log')
  expect(await run('status', 'configured', '--node', node.id)).toMatchObject({ status: 1, stderr: expect.stringContaining('no node') })

  const worker = new JelProcess([
    'work',
    'configured',
    '--config',
    config('work', {
      listen: '127.0.0.1:0',
      bootstrap: first.address,
      json: true,
      workers: 1,
      limit: { time: 60, memory: 256 },
      tickets: { own: 2 },
      accept: ['own'],
      owner: join(runtime, 'configured.owner'),
    }),
  ])
  await worker.until(() => worker.told('joined').includes(first.id), 'joined')
})

it.each([
  ['an unknown key', { wings: 2 }, '"wings"'],
  ['the file itself', { config: 'other.json' }, '"config"'],
  ['a value that the flag does not take', { for: 'soon' }, 'for: It must be a number of seconds'],
  ['an event that is none', { on: { fly: 'x' } }, 'on: It must be EVENT=COMMAND'],
  ['a choice that is none', { log: 'loud' }, 'log: Allowed choices are'],
  ['text for a switch', { json: 'yes' }, 'json: must be true or false'],
  ['a switch for text', { location: true }, 'location: must be text'],
  ['nothing', { tag: null }, 'tag: must be text'],
  ['an object where no names go', { tag: { a: 1 } }, 'tag: must be text'],
  ['what is no object', [], 'must be a JSON object'],
  ['what is no JSON', '{"tag":', "the configuration can't be read: "],
])('a file with %s is wrong usage', async (name, content, named) => {
  const path = config(name.replaceAll(' ', '-'), content)
  const { status, lines, stderr } = await run('join', 'p', '--listen', '127.0.0.1:0', '--config', path)
  expect({ status, lines }).toEqual({ status: 2, lines: [] })
  expect(stderr).toMatch(/^jel: [^\n]+\n$/u)
  expect(stderr).toContain(named)
  expect(stderr).toContain(path)
})

it('a file that is missing is named', async () => {
  expect(await run('join', 'p', '--config', '/no/such.json')).toMatchObject({ status: 2, stderr: expect.stringContaining('/no/such.json') })
})
