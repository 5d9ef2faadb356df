import type { Command } from 'commander'
import { allOf, treeOf, type CommandNode } from './command-tree.ts'

/** Returns the page jel(1), in the man macros. */
export function manPage(program: Command, version: string): string {
  const tree = treeOf(program)
  const [root, ...commands] = allOf(tree)
  return [
    `.TH JEL 1 "" "jel ${roff(version)}" "User Commands"`,
    '.SH NAME',
    `jel \\- ${roff(tree.description)}`,
    '.SH SYNOPSIS',
    ...synopsis('jel', '[\\fIoption\\fR]... \\fIcommand\\fR [\\fIargument\\fR]...'),
    '.SH OPTIONS',
    ...optionsOf(root as CommandNode),
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH "EXIT STATUS"',
    ...tagged('0', 'it was done; a node has left its pool'),
    ...tagged(
      '1',
      'it could not be done, and one line on standard error says why; jel health: the node reaches none or only a minority of the other members',
    ),
    ...tagged('2', 'wrong usage'),
    '.SH ENVIRONMENT',
    ...tagged('JEL_NODE', 'the end of the id of the node that commands ask, where several run here and --node names none'),
    ...tagged(
      'XDG_RUNTIME_DIR',
      'control sockets of running nodes lie in its folder jel; without it in jel-<user id> of the folder for temporary files',
    ),
    '.SH "SEE ALSO"',
    'The tutorial, the reference of the interface and the operations manual stand in the folder docs of the sources.',
    '',
  ].join('\n')
}

function commandLines(node: CommandNode): string[] {
  const operands = node.arguments.map(({ usage }) => roff(usage)).join(' ')
  return [
    `.SS "${roff(node.path)}"`,
    ...synopsis(node.path, `${node.commands.length > 0 ? '\\fIcommand\\fR' : '[\\fIoption\\fR]...'} ${operands}`),
    '.PP',
    line(`${node.description.charAt(0).toUpperCase()}${node.description.slice(1)}.`),
    ...node.arguments.filter(({ description }) => description !== '').flatMap(({ usage, description }) => tagged(usage, description)),
    ...optionsOf(node),
  ]
}

function optionsOf({ options }: CommandNode): string[] {
  return options.flatMap(({ usage, description }) => tagged(usage, description))
}

function synopsis(name: string, rest: string): string[] {
  return ['.PP', `\\fB${roff(name)}\\fR ${rest.trim()}`]
}

function tagged(tag: string, text: string): string[] {
  return ['.TP', `\\fB${roff(tag)}\\fR`, line(text)]
}

/** Returns a line of text. The formatter takes it as text, whatever its first character is. */
function line(text: string): string {
  return `\\&${roff(text)}`
}

function roff(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('"', String.raw`\(dq`)
    .replaceAll(/\s+/gu, ' ')
}
