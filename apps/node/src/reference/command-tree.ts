/** The commands and their flags as data, for generators. */
import type { Argument, Command, Option } from 'commander'

export interface CommandNode {
  /** All words of the command: `jel join`. */
  readonly path: string
  readonly description: string
  readonly options: readonly Flag[]
  readonly arguments: readonly Operand[]
  readonly commands: readonly CommandNode[]
}

/** The values that a flag or argument accepts. */
export type Value = { readonly kind: 'choice'; readonly of: readonly string[] } | { readonly kind: 'file' | 'folder' | 'text' }

export interface Flag {
  /** The names with dashes, such as `--key-file`. If there are two, the long name is first. */
  readonly names: readonly string[]
  /** The form in help: `-V, --version`, `--key-file <file>`. */
  readonly usage: string
  readonly description: string
  /** Undefined: the flag takes no value. */
  readonly value: (Value & { readonly name: string; readonly required: boolean }) | undefined
}

interface Operand {
  readonly name: string
  /** The form in help: `<pool>`, `[input]`, `<ids...>`. */
  readonly usage: string
  readonly description: string
  readonly value: Value
  readonly variadic: boolean
}

/** Returns the tree of a command, without entries that help hides. */
export function treeOf(command: Command, parent = ''): CommandNode {
  const help = command.createHelp()
  const path = `${parent} ${command.name()}`.trim()
  return {
    path,
    description: command.description(),
    options: help.visibleOptions(command).map((option) => flagOf(option, help.optionDescription(option))),
    arguments: command.registeredArguments.map((argument) => operandOf(argument, help.argumentDescription(argument))),
    commands: help.visibleCommands(command).map((each) => treeOf(each, path)),
  }
}

/** Returns a command and all below it as a list. */
export function allOf(node: CommandNode): CommandNode[] {
  return [node, ...node.commands.flatMap(allOf)]
}

function flagOf(option: Option, description: string): Flag {
  const names = [option.long, option.short].filter((name) => name !== undefined && name !== null)
  const [, name] = /[<[]([^>\]]+)[>\]]/u.exec(option.flags) ?? []
  const value = name === undefined ? undefined : { name, required: option.required, ...valueOf(name, option.argChoices) }
  return { names, usage: option.flags, description, value }
}

function operandOf(argument: Argument, description: string): Operand {
  const name = argument.name()
  const inner = argument.variadic ? `${name}...` : name
  const usage = argument.required ? `<${inner}>` : `[${inner}]`
  return { name, usage, description, value: valueOf(name, argument.argChoices), variadic: argument.variadic }
}

/** Derives the kind of a value from its name. */
function valueOf(name: string, choices: readonly string[] | undefined): Value {
  if (choices !== undefined) return { kind: 'choice', of: choices }
  if (name === 'file' || name === 'path') return { kind: 'file' }
  return { kind: name === 'dir' ? 'folder' : 'text' }
}
