import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { describe, expect, it } from 'vitest'
import { commandLine } from '../apps/node/src/command-line.ts'
import { manifestOf, root } from './workspace.ts'

const read = (file: string): string => readFileSync(join(root, 'packaging', file), 'utf8')
const has = (tool: string): boolean => spawnSync(tool, ['--version']).status === 0

/** The fields of the Kubernetes example that the tests use. */
interface Kubernetes {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly clusterIP?: string
    readonly serviceName?: string
    readonly ports?: readonly { readonly port: number }[]
    readonly template?: { readonly spec: Pod }
  }
}

interface Pod {
  readonly securityContext: object
  readonly containers: readonly [Container]
  readonly initContainers: readonly [Container]
  readonly volumes: readonly { readonly secret?: { readonly defaultMode: number } }[]
}

interface Container {
  readonly command: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly readinessProbe: Probe
  readonly livenessProbe: Probe
}

interface Probe {
  readonly exec: { readonly command: readonly string[] }
}

/** Returns the unknown commands and flags of every `jel <command> …` in a text. */
function unknownWords(text: string): string[] {
  const program = commandLine('', '', () => {})
  const lines = text.replaceAll(/^\s*#.*$/gmu, '')
  return [...lines.matchAll(/\bjel (?<name>[a-z-]+) (?<rest>[^\n#;]*)/gu)].flatMap(({ groups }) => {
    const { name, rest } = groups as { name: string; rest: string }
    const command = program.commands.find((each) => each.name() === name)
    if (command === undefined) return [name]
    const known = command.options.flatMap(({ long }) => long ?? [])
    return [...rest.matchAll(/(?<=\s|^)--[a-z-]+/gu)].map(([flag]) => flag).filter((flag) => !known.includes(flag))
  })
}

describe('the systemd unit', () => {
  const unit = read('jel@.service')
  const value = (key: string): string | undefined => new RegExp(`^${key}=(.*)$`, 'mu').exec(unit)?.[1]

  it('starts a command that exists, as a user of its own', () => {
    expect(value('ExecStart')).toMatch(/^\/usr\/bin\/jel join %I /u)
    expect(unknownWords(value('ExecStart') as string)).toEqual([])
    expect(value('User')).toBe('jel')
  })

  it('names folders for the key of the node and files of jobs, because its user has no home', () => {
    expect(value('StateDirectory')).toBe('jel/%i')
    expect(value('Environment')).toBe('XDG_CACHE_HOME=%S/jel/%i XDG_CONFIG_HOME=%S/jel/%i')
  })

  it('restarts a node that failed, unless its flags are wrong', () => {
    expect(value('Restart')).toBe('on-failure')
    expect(value('RestartPreventExitStatus')).toBe('2')
  })

  it.skipIf(!has('systemd-analyze'))('is accepted by systemd', () => {
    const folder = mkdtempSync(join(tmpdir(), 'jel-unit-'))
    try {
      // The command need not be installed here.
      const file = join(folder, 'jel@render-farm.service')
      writeFileSync(file, unit.replace('/usr/bin/jel ', '/bin/true '))
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', file], { encoding: 'utf8' })
      expect(stderr.split('\n').filter((line) => line.includes('jel'))).toEqual([])
      expect(status).toBe(0)

      const security = execFileSync('systemd-analyze', ['security', '--offline=yes', '--no-pager', file], { encoding: 'utf8' })
      // On systemd's scale 0 is closed, and 10 is open. systemd rates values below 2 as OK. A node
      // can't reach 0: it needs a network and compiled code.
      expect(Number(/exposure level for .*: (?<level>[\d.]+)/u.exec(security)?.groups?.['level'])).toBeLessThan(2)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('the container file', () => {
  const instructions = read('Dockerfile')
    .replaceAll(/\\\n/gu, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')))
  const of = (name: string): string[] => last.filter((line) => line.startsWith(`${name} `))

  it('has only instructions that exist', () => {
    const known = 'FROM WORKDIR COPY RUN USER ENV VOLUME EXPOSE HEALTHCHECK CMD'.split(' ')
    expect(instructions.filter((line) => !known.includes(line.split(' ')[0] as string))).toEqual([])
  })

  it('runs on a Node that is new enough, and not as root', () => {
    const [, needed = ''] = />=(\d+)/u.exec(manifestOf('.').engines?.node ?? manifestOf('apps/node').engines?.node ?? '') ?? []
    for (const image of instructions.filter((line) => line.startsWith('FROM '))) {
      const [, major] = /^FROM node:(\d+)-/u.exec(image) ?? []
      expect(Number(major)).toBeGreaterThanOrEqual(Number(needed))
    }
    expect(of('USER')).toEqual([expect.stringMatching(/^USER [1-9]\d*:[1-9]\d*$/u)])
    expect(last.indexOf(of('USER')[0] as string)).toBeLessThan(last.indexOf(of('CMD')[0] as string))
  })

  it('checks its health, by commands and flags that exist', () => {
    expect(of('HEALTHCHECK')).toEqual([expect.stringContaining('CMD jel health')])
    expect(unknownWords([...of('HEALTHCHECK'), ...of('CMD')].join('\n'))).toEqual([])
  })

  it('leaves out files that are made anew', () => {
    expect(read('Dockerfile.dockerignore').split('\n')).toEqual(expect.arrayContaining(['**/node_modules', '**/dist', '.git']))
  })
})

describe('the example for Kubernetes', () => {
  const text = read('kubernetes.yaml')
  // Kubernetes reads YAML 1.1. There 0400 is octal.
  const documents = parseAllDocuments(text, { version: '1.1' }).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as Kubernetes
  })
  const [service, members] = ['Service', 'StatefulSet'].map((kind) => documents.find((each) => each.kind === kind) as Kubernetes) as [
    Kubernetes,
    Kubernetes,
  ]
  const { securityContext, volumes, initContainers, containers } = (members.spec.template as { readonly spec: Pod }).spec
  const [container] = containers
  const options = container.env.find(({ name }) => name === 'JEL_OPTIONS')?.value

  it('lets members find each other by the name of a headless service, before they are ready', () => {
    expect(service.spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true })
    expect(members.spec.serviceName).toBe(service.metadata.name)
    expect(options).toContain(`--bootstrap /dns4/${service.metadata.name}/tcp/${service.spec.ports?.[0]?.port}`)
  })

  it('runs as an unprivileged user, with keys that others can not read', () => {
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 })
    expect(volumes.find(({ secret }) => secret !== undefined)?.secret?.defaultMode).toBe(0o400)
    expect(initContainers[0].command).toContain('--mode=0400')
  })

  it('is not restarted when it is in a minority', () => {
    expect(container.readinessProbe.exec.command.join(' ')).toContain('jel health')
    expect(container.livenessProbe.exec.command.join(' ')).toContain('jel status')
  })

  it('has only commands and flags that exist', () => {
    expect(unknownWords(`${text}\njel join p ${options}`)).toEqual([])
  })
})

it('the command line of a checkout runs in any folder', () => {
  const { stdout } = spawnSync(join(root, 'scripts/bin/jel'), ['--version'], { cwd: '/', encoding: 'utf8' })
  expect(stdout).toMatch(/^\d+\.\d+\.\d+/u)
})
