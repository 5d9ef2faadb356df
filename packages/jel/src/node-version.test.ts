import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')

/** Runs this Node with arguments, as if it were another version. */
async function as(version: string, ...args: string[]): Promise<{ status: number; stderr: string; stdout: string }> {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  try {
    const { stdout, stderr } = await run(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, ...args])
    return { status: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { status: code, stdout, stderr }
  }
}

describe('on a Node that is too old', () => {
  it.each(['20.20.2', '22.17.1'])('%s the library says so in one sentence, whatever is imported first', async (version) => {
    for (const entry of ['packages/jel/src/index.ts', 'packages/compute/src/index.ts']) {
      const use = `import(${JSON.stringify(join(root, entry))}).catch(({ code, message }) => console.log(code, message))`
      const { stdout } = await as(version, '--disable-warning=ExperimentalWarning', '--eval', use)
      expect(stdout).toBe(`UNSUPPORTED_NODE Node 22.18 or newer is needed; this is Node ${version}\n`)
    }
  })

  it('the command line says so in one line, with status 1', async () => {
    const { status, stdout, stderr } = await as('20.20.2', join(root, 'apps/node/bin/jel.js'), 'join', 'p')
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: 'jel: Node 22.18 or newer is needed; this is Node 20.20.2\n',
    })
  })
})

it('the required version is the one that all packages declare', async () => {
  for (const name of ['packages/jel', 'packages/overlay', 'packages/protocol', 'packages/compute', 'apps/node']) {
    const { engines } = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')) as { engines: { node: string } }
    expect(engines.node).toBe('>=22.18')
  }
  expect((await as('22.18.0', '--eval', `import(${JSON.stringify(join(root, 'packages/jel/src/index.ts'))})`)).status).toBe(0)
})
