import { allOf, type CommandNode, type Flag, type Value } from './command-tree.ts'
import { plain } from './quoted.ts'

/** Returns the completion for zsh: as a file `_jel` on `fpath`, or sourced after `compinit`. */
export function zshCompletion(program: CommandNode): string {
  return `#compdef jel
# zsh completion of jel: source <(jel completion zsh)
${allOf(program).map(functionOf).join('\n')}
if [[ \${funcstack[1]} == _jel ]]; then _jel "$@"; else compdef _jel jel; fi
`
}

function functionOf(node: CommandNode): string {
  const { path, commands, arguments: operands } = node
  const flags = node.options.flatMap(specsOf)
  if (commands.length === 0) {
    const values = operands.map(({ name, value, variadic }) => `'${variadic ? '*' : ''}:${escaped(name)}:${actionOf(value)}'`)
    return `${nameOf(path)}() {\n  _arguments -s : ${[...flags, ...values].join(' ')}\n}`
  }
  const described = commands.map((each) => `'${escaped(lastWord(each.path))}:${plain(each.description)}'`)
  const cases = commands.map((each) => `    ${lastWord(each.path)}) ${nameOf(each.path)} ;;`)
  return `${nameOf(path)}() {
  local state line
  typeset -A opt_args
  _arguments -s -C : ${flags.join(' ')} '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands=(${described.join(' ')})
      _describe command commands
      ;;
    argument)
      case \${line[1]} in
${cases.map((each) => `    ${each}`).join('\n')}
      esac
      ;;
  esac
}`
}

/**
 * Describes a flag. The tree does not say which flags may be repeated. So all flags with a value
 * may.
 */
function specsOf({ names, description, value }: Flag): string[] {
  return names.map((name) => {
    const taken = value === undefined ? '' : `${value.required ? ':' : '::'}${escaped(value.name)}:${actionOf(value)}`
    return `'${value === undefined ? '' : '*'}${name}[${escaped(description)}]${taken}'`
  })
}

function actionOf(value: Value): string {
  switch (value.kind) {
    case 'choice':
      return `(${value.of.map(escaped).join(' ')})`
    case 'file':
      return '_files'
    case 'folder':
      return '_files -/'
    case 'text':
      return ' '
  }
}

function escaped(text: string): string {
  return plain(text).replaceAll(/[[\]:]/gu, String.raw`\$&`)
}

function lastWord(path: string): string {
  return path.slice(path.lastIndexOf(' ') + 1)
}

function nameOf(path: string): string {
  return `_${path.replaceAll(/\W/gu, '_')}`
}
