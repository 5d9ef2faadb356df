import { Argument, Command, Help, InvalidArgumentError, Option } from 'commander'
import { applyConfig } from './config-file.ts'
import { CONFIG, shellCommands, type ShellCommand } from './shell-commands.ts'
import { messageOf } from './base/usage-error.ts'
import type { Flag } from './commands/flags.ts'

/**
 * Returns the commands and their flags. `script` is the started file; `jel demo` needs it. `done`
 * takes the exit status.
 */
export function commandLine(script: string, version: string, done: (status: number) => void): Command {
  const program = new Command('jel')
    .description('A pool of peers with no one in charge: join it, watch it, elect in it.')
    .version(version)
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .configureHelp({ optionDescription: describeOption })
  for (const each of shellCommands) {
    const command = program.command(each.name).description(each.about)
    for (const operand of each.operands) command.addArgument(withValues(new Argument(operand.usage, operand.about), operand))
    for (const flag of each.flags) command.addOption(withValues(new Option(flag.usage, flag.about), flag))
    if (each.flags.includes(CONFIG)) command.hook('preAction', applyConfig)
    command.action(async () => {
      const status = await each.run(givenTo(command, each) as never, { script, version, program })
      if (status !== undefined) done(status)
    })
  }
  return program
}

/** Returns operands and flags, by name. */
function givenTo(command: Command, { operands }: ShellCommand): object {
  const named = operands.map((_, index): [string, unknown] => [
    command.registeredArguments[index]?.name() ?? '',
    command.processedArgs[index],
  ])
  return { ...command.opts(), ...Object.fromEntries(named) }
}

/** Completes an argument or an option with the values that it may have. */
function withValues<Of extends Argument | Option>(of: Of, { value, initial }: Flag): Of {
  if (typeof value === 'function') of.argParser((text: string, before: unknown) => parsed(() => value(text, before as never)))
  else if (value !== undefined) of.choices(value)
  if (initial !== undefined) of.default(initial)
  return of
}

/** Turns the problem of a value into the error that names its flag. */
function parsed(parse: () => unknown): unknown {
  try {
    return parse()
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error))
  }
}

/** Describes an option, without a default that is an empty list. */
function describeOption(option: Option): string {
  return Help.prototype.optionDescription(option).replace(/ \(default: (?:\[\]|\{\})\)$/u, '')
}
