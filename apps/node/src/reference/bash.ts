import { allOf, type CommandNode, type Value } from './command-tree.ts'
import { quoted } from './quoted.ts'

/** Returns the completion for bash 4 and later, with or without the package bash-completion. */
export function bashCompletion(program: CommandNode): string {
  const nodes = allOf(program)
  const commands = nodes.flatMap(({ commands }) => commands.map(({ path }) => quoted(path)))
  const valued = nodes.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) => (value === undefined ? [] : [{ at: names.map((name) => quoted(`${path} ${name}`)), value }])),
  )
  const taking = valued.filter(({ value }) => value.required).flatMap(({ at }) => at)
  return `# bash completion of jel: source <(jel completion bash)
_jel() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} path=${quoted(program.path)} word skip= operands=0 i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $skip ]]; then skip=; continue; fi
    case "$path $word" in
      ${commands.join('|')}) path="$path $word" operands=0 ;;
      ${taking.join('|')}) skip=1 ;;
      *) [[ $word == -* ]] || operands=$((operands + 1)) ;;
    esac
  done
  case "$path $previous" in
${valued.map(({ at, value }) => `    ${at.join('|')}) ${offer(value)}; return ;;`).join('\n')}
  esac
  if [[ $current == -* ]]; then
    case $path in
${nodes.map(({ path, options }) => `      ${quoted(path)}) ${words(options.flatMap(({ names }) => names))} ;;`).join('\n')}
    esac
    return
  fi
  case "$path $operands" in
${nodes.flatMap(operandCases).join('\n')}
  esac
}
complete -F _jel jel
`
}

function operandCases({ path, commands, arguments: operands }: CommandNode): string[] {
  if (commands.length > 0) return [`    ${quoted(`${path} 0`)}) ${words(commands.map((each) => each.path.slice(path.length + 1)))} ;;`]
  return operands.map(({ value, variadic }, index) => `    ${quoted(`${path} ${index}`)}${variadic ? '*' : ''}) ${offer(value)} ;;`)
}

function offer(value: Value): string {
  switch (value.kind) {
    case 'choice':
      return words(value.of)
    case 'file':
      return 'compopt -o filenames 2> /dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current")'
    case 'folder':
      return 'compopt -o filenames 2> /dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current")'
    case 'text':
      return ':'
  }
}

function words(all: readonly string[]): string {
  return `mapfile -t COMPREPLY < <(compgen -W ${quoted(all.join(' '))} -- "$current")`
}
