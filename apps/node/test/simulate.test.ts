import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import './jel-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-simulate-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Ended {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

function jel(...args: string[]): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  const script = join(import.meta.dirname, '../bin/jel.js')
  // Colours are for people, but some runners request them through the environment.
  const { FORCE_COLOR: _, ...env } = process.env
  execFile(process.execPath, [script, 'simulate', ...args], { cwd: folder, env: { ...env, NO_COLOR: '1' } }, (error, stdout, stderr) =>
    resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
  )
  return promise
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return name
}

const calm = file('calm.yaml', 'nodes: 5\nduration: 10s\nactions: [{ at: 5s, kill: 2 }]\nexpect: [{ allKnowAll: { within: 5s } }]\n')
const hasty = file('hasty.yaml', 'nodes: 5\nduration: 10s\nactions: [{ at: 5s, kill: 2 }]\nexpect: [{ allKnowAll: { within: 1ms } }]\n')

describe('jel simulate', () => {
  it('runs seeds and values, and writes a report that needs nothing else', async () => {
    const { status, stdout, stderr } = await jel(calm, '--seeds', '3..4', '--sweep', 'nodes=5,8', '--out', 'out', '--trace')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/calm.*: 8 nodes, 2 seeds, nodes=8\n.*ok +no promise is broken +2\/2/u)
    const runs = ['nodes=5_seed-3', 'nodes=5_seed-4', 'nodes=8_seed-3', 'nodes=8_seed-4'].flatMap((run) =>
      ['dot', 'jsonl', 'svg'].map((type) => `${run}.${type}`),
    )
    expect(readdirSync(join(folder, 'out')).sort()).toEqual([...runs, 'report.html', 'runs.csv', 'runs.json', 'samples.csv'])
    const read = (name: string): string => readFileSync(join(folder, 'out', name), 'utf8')
    expect(read('report.html')).toContain('<svg')
    expect(read('report.html').replaceAll(/http:\/\/www\.w3\.org\/[\w/]+/gu, '')).not.toMatch(/https?:|<script/u)
    expect(read('runs.csv').split('\n')).toHaveLength(6)
    expect(JSON.parse(read('runs.json'))).toMatchObject({ scenario: { name: 'calm' }, runs: [{ seed: 3, set: ['nodes=5'] }, {}, {}, {}] })
    const trace = read('nodes=5_seed-3.jsonl').trim().split('\n')
    expect(trace.map((line) => JSON.parse(line) as { what: string }).filter(({ what }) => what === 'died')).toHaveLength(4)
  })

  it('reports an unmet expectation, replays it, and makes its scenario smaller', async () => {
    const { status, stdout } = await jel(hasty)
    expect(status).toBe(1)
    const [, replay] = /replay: jel simulate hasty\.yaml --replay (1:[0-9a-f]{16})\n/u.exec(stdout) ?? []
    const again = await jel(hasty, '--replay', replay ?? '', '--shrink', 'smaller.yaml')
    expect(again.status).toBe(1)
    expect(again.stdout).toContain('The same history.')
    expect((await jel('smaller.yaml')).status).toBe(1)
    expect((await jel(hasty, '--replay', '1:0123456789abcdef')).stdout).toContain('Not the same history')
  })

  it('knows the scenarios that are shipped', async () => {
    const { stdout } = await jel('--list')
    expect(stdout.split('\n').filter((line) => line !== '').length).toBeGreaterThanOrEqual(12)
    expect((await jel('mass-election', '--set', 'nodes=6')).stdout).toContain('mass-election: 6 nodes')
  })

  it.each([
    [
      'an unknown key',
      [file('a.yaml', 'nodes: 5\nduration: 10s\nnode: 5\n')],
      'jel: a.yaml:3:1: unknown key "node", did you mean "nodes"?',
    ],
    ['a negative duration', [file('b.yaml', 'nodes: 5\nduration: -10s\n')], "jel: b.yaml:2:1: duration: a duration can't be negative"],
    [
      'a node that is not there',
      [file('c.yaml', 'nodes: 5\nduration: 10s\nactions:\n  - { at: 1s, kill: 5 }\n')],
      'jel: c.yaml:4:15: actions.0.kill: there is no node 5',
    ],
    [
      'a trace that was cut off',
      [(file('t.csv', 'at,event,node\n0,join,a\n1,jo'), file('d.yaml', 'nodes: 1\nduration: 10s\narrivals: { trace: t.csv }\n'))],
      'jel: t.csv:3: expected at,event,node',
    ],
    ['a file that is not there', ['nowhere.yaml'], "jel: nowhere.yaml: can't be read: ENOENT"],
    ['no file', [], 'jel: which scenario?'],
    ['a wrong value', [calm, '--set', 'nodes=x'], 'jel: --set nodes=x: expected a whole number from 1 on, not "x"'],
    ['wrong seeds', [calm, '--seeds', '9..1'], 'jel: --seeds 9..1: expected a seed (7), a range (1..20)'],
    ['wrong workers', [calm, '--workers', '0'], 'jel: option'],
    ['a replay of several runs', [calm, '--replay', '1', '--seeds', '1..3'], 'jel: --replay is one run'],
    ['a wrong replay', [calm, '--replay', 'x'], 'jel: --replay x: expected a seed'],
  ] as const)('refuses %s with status 2 and leaves nothing behind', async (_, args, message) => {
    const before = readdirSync(folder)
    const { status, stdout, stderr } = await jel(...args, '--out', 'refused')
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(readdirSync(folder)).toEqual(before)
  })

  it('overwrites nothing', async () => {
    const taken = file('taken', 'mine')
    expect(await jel(calm, '--out', taken)).toMatchObject({ status: 2, stderr: expect.stringContaining('is there already') as string })
    expect(readFileSync(join(folder, taken), 'utf8')).toBe('mine')
    expect(existsSync(join(folder, '.taken'))).toBe(false)
  })
})
