import { allOf, type CommandNode, type Value } from './command-tree.ts'
import { quoted } from './quoted.ts'

/** Returns the completion for fish 3 and later. */
export function fishCompletion(program: CommandNode): string {
  const nodes = allOf(program)
  const commands = nodes.flatMap(({ commands }) => commands.map(({ path }) => quoted(path)))
  const taking = nodes.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) => (value?.required === true ? names.map((name) => quoted(`${path} ${name}`)) : [])),
  )
  return `# fish completion of jel: jel completion fish | source
function __jel_path
    set -l path ${quoted(program.path)}
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$path $word"
            case ${commands.join(' ')}
                set path "$path $word"
            case ${taking.join(' ')}
                set skip 1
        end
    end
    echo $path
end
complete -c jel -f
${nodes.flatMap(linesOf).join('\n')}
`
}

function linesOf({ path, options, commands, arguments: operands }: CommandNode): string[] {
  const here = `complete -c jel -n 'test "$(__jel_path)" = "${path}"'`
  return [
    ...commands.map((each) => `${here} -a ${quoted(each.path.slice(path.length + 1))} -d ${quoted(each.description)}`),
    ...options.map(({ names, value, description }) => {
      const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
      return [
        here,
        ...flags,
        ...(value === undefined ? [] : [value.required ? offer(value, '-r') : offer(value, '')]),
        `-d ${quoted(description)}`,
      ]
        .filter((part) => part !== '')
        .join(' ')
    }),
    ...operands.filter(({ value }) => value.kind !== 'text').map(({ value }) => `${here} ${offer(value, '')}`),
  ]
}

function offer(value: Value, required: '-r' | ''): string {
  switch (value.kind) {
    case 'choice':
      return `${required} -f -a ${quoted(value.of.join(' '))}`.trim()
    case 'file':
      return `${required} -F`.trim()
    case 'folder':
      return `${required} -f -a '(__fish_complete_directories)'`.trim()
    case 'text':
      return required === '-r' ? '-x' : '-f'
  }
}
