import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { commandLine } from '../command-line.ts'
import { EVENT_KINDS } from '../events/event-text.ts'
import type { NodeEvent } from '../events/events.ts'
import type { JobEvent, PolicyEvent } from '../events/job-messages.ts'
import { completionOf, type ShellName } from './completion.ts'
import { jsonCommands } from './json-commands.ts'
import { manPage } from './man-page.ts'

const program = commandLine('jel.js', '1.2.3', () => {})
const page = manPage(program, '1.2.3')

/**
 * Returns all commands with their flags. It asks commander itself, not the source of the scripts.
 */
function flagsBelow(command: Command, path: string): [path: string, flags: string[]][] {
  const flags = command.options.filter(({ hidden }) => !hidden).flatMap(({ long, short }) => [long, short].filter((name) => name != null))
  return [[path, flags], ...command.commands.flatMap((each) => flagsBelow(each, `${path} ${each.name()}`))]
}

const all = flagsBelow(program, 'jel')
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** Returns a shell's completions of the last word of a command line. */
const offers: Record<Exclude<ShellName, 'zsh'>, (line: string) => string[]> = {
  bash: (line) => {
    const words = line.split(' ')
    const ask = `COMP_WORDS=(${words.map((word) => `"${word}"`).join(' ')}); COMP_CWORD=${words.length - 1}; _jel; printf '%s\\n' "\${COMPREPLY[@]}"`
    return lines(execFileSync('bash', ['-c', `${completionOf(program, 'bash')}\n${ask}`], { encoding: 'utf8' }))
  },
  fish: (line) => {
    const ask = `complete -C ${JSON.stringify(line)}`
    const output = execFileSync('fish', ['--no-config', '-c', `${completionOf(program, 'fish')}\n${ask}`], { encoding: 'utf8' })
    return lines(output).map((each) => each.replace(/\t.*$/u, ''))
  },
}

it('there are commands and flags to look for', () => {
  expect(all.map(([path]) => path)).toEqual(expect.arrayContaining(['jel', 'jel join', 'jel submit', 'jel completion']))
  expect(all.flatMap(([, flags]) => flags).length).toBeGreaterThan(40)
})

describe.each(['bash', 'fish'] as const)('completion for %s', (shell) => {
  const offered = offers[shell]

  describe.skipIf(!has(shell))('offers', () => {
    it.each(all)('all flags of %s', (path, flags) => {
      const got = [...offered(`${path} --`), ...offered(`${path} -`)]
      expect(got).toEqual(expect.arrayContaining(flags.filter((name) => name.startsWith('--'))))
    })

    it('all commands', () => {
      expect(offered('jel ')).toEqual(expect.arrayContaining(program.commands.map((each) => each.name())))
    })

    it('commands that begin with the typed letters', () => {
      expect(offered('jel me')).toEqual(['members'])
    })

    it('choices of a flag, and nothing else', () => {
      expect(offered('jel members p --state ').toSorted()).toEqual(['all', 'died', 'here', 'left'])
    })

    it('choices of an operand', () => {
      expect(offered('jel completion ').toSorted()).toEqual(['bash', 'fish', 'zsh'])
    })

    it('flags of the command, where a value looks like another command', () => {
      const got = offered('jel join --tag keygen p --req')
      expect(got).toEqual(['--require'])
    })

    it('files where a file is asked for', () => {
      expect(offered(`jel join p --key-file ${import.meta.dirname}/man-p`)).toEqual([`${import.meta.dirname}/man-page.ts`])
      expect(offered(`jel submit p ${import.meta.dirname}/man-p`)).toEqual([`${import.meta.dirname}/man-page.ts`])
    })
  })
})

describe('completion for zsh', () => {
  const script = completionOf(program, 'zsh')

  it.each(all)('has all flags of %s', (path, flags) => {
    const [, body = ''] = new RegExp(`^_${path.replaceAll(/\W/gu, '_')}\\(\\) \\{(.*?)^\\}`, 'msu').exec(script) ?? []
    for (const flag of flags) expect(body).toMatch(new RegExp(`'\\*?${flag}\\[`, 'u'))
  })

  it.skipIf(!has('zsh'))('can be read by zsh, and defines a function for each command', () => {
    const names = all.map(([path]) => `_${path.replaceAll(/\W/gu, '_')}`)
    const ask = `autoload -U compinit; compinit -D; ${script}\nwhence -w ${names.join(' ')}; print $_comps[jel]`
    const output = lines(execFileSync('zsh', ['-fc', ask], { encoding: 'utf8' }))
    expect(output).toEqual([...names.map((name) => `${name}: function`), '_jel'])
  })
})

describe('the man page', () => {
  it.each(all)('has all flags of %s', (path, flags) => {
    const section = path === 'jel' ? '.SH OPTIONS' : `.SS "${path.replaceAll('-', String.raw`\-`)}"`
    const [, text = ''] = page.split(`${section}\n`)
    const [own = ''] = text.split(/^\.S[HS]/mu)
    for (const flag of flags) expect(own).toContain(flag.replaceAll('-', String.raw`\-`))
  })

  it.skipIf(!has('groff'))('is formatted without a warning', () => {
    const { stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-k'], { input: page, encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(stdout).toContain('key of a private pool')
  })
})

describe('README.md', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')

  it('has the commands of a running node', () => {
    const [, table] = /## Commands, one a line.*?\n(\| command .*?)\n\n/su.exec(readme) ?? []
    expect(table).toBe(jsonCommands())
  })

  it('has each kind of event, and no other', () => {
    // A kind that is missing here or in the table of `event-text.ts` is an error of types.
    const ofJobs: Readonly<Record<Exclude<(JobEvent | PolicyEvent)['event'], NodeEvent['event']>, true>> = {
      submitted: true,
      progress: true,
      written: true,
      outcome: true,
      collected: true,
      cancelled: true,
      forgotten: true,
      failed: true,
      job: true,
      'needs-trust': true,
      'not-kept': true,
      waits: true,
      'not-own': true,
      policy: true,
    }
    const shapes = readme.match(/^\{"event":"[\w-]+"(?:\|"[\w-]+")*/gmu) ?? []
    const listed = shapes.flatMap((shape) => shape.replace('{"event":', '').split('|')).map((kind) => kind.slice(1, -1))
    expect([...new Set(listed)].toSorted()).toEqual([...EVENT_KINDS, ...Object.keys(ofJobs)].toSorted())
  })

  it('has all commands of the command line', () => {
    const missing = program.commands.map((command) => command.name()).filter((name) => !readme.includes(`jel ${name}`))
    expect(missing).toEqual([])
  })
})
