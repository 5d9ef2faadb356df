import { Argument, Command, Help, InvalidArgumentError, Option } from 'commander'
import { applyConfig } from './config-file.ts'
import { CONFIG, shellCommands, type ShellCommand } from './shell-commands.ts'
import { messageOf } from './base/usage-error.ts'
import type { Flag, Operand } from './commands/flags.ts'

/**
 * Returns the commands and their flags. `script` is the started file, for `jel demo`; `done` takes
 * the exit status.
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
    for (const operand of each.operands) command.addArgument(argumentOf(operand))
    for (const flag of each.flags) command.addOption(optionOf(flag))
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
  const named = operands.map((_, index): [string, unknown] => [command.registeredArguments[index]?.name() ?? '', command.processedArgs[index]])
  return { ...command.opts(), ...Object.fromEntries(named) }
}

function argumentOf({ usage, about, choices, initial }: Operand): Argument {
  const argument = new Argument(usage, about)
  if (choices !== undefined) argument.choices(choices)
  return initial === undefined ? argument : argument.default(initial)
}

function optionOf({ usage, about, choices, parse, initial }: Flag): Option {
  const option = new Option(usage, about)
  if (choices !== undefined) option.choices(choices)
  if (parse !== undefined) option.argParser((text, before) => parsed(() => parse(text, before as never)))
  return initial === undefined ? option : option.default(initial)
}

/** Turns the problem of a value into the error that names its flag. */
function parsed(parse: () => unknown): unknown {
  try {
    return parse()
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error))
  }
}

/** Omits the default of a list that is empty without the flag. */
function describeOption(option: Option): string {
  return Help.prototype.optionDescription(option).replace(/ \(default: (?:\[\]|\{\})\)$/u, '')
}
