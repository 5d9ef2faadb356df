/**
 * Turns a module into a script that a compartment evaluates. The script contains no text that looks
 * like a comment of HTML or like an import. SES refuses such text even in a string, because SES
 * does not parse the script. This code does parse it.
 */
import { parse, type Node, type Program, type Token } from 'acorn'
import { walk } from './syntax.ts'

interface Edit extends Pick<Node, 'start' | 'end'> {
  readonly text: string
}

/**
 * Turns a module without imports into a script whose value is its exports. Lines keep their
 * numbers.
 *
 * @throws SyntaxError for a module that cannot become such a script
 */
export function scriptOf(source: string): string {
  const tokens: Token[] = []
  const edits: Edit[] = []
  // Removed text becomes blanks, so positions stay the same.
  const blank = (start: number, end: number): void => {
    edits.push({ start, end, text: source.slice(start, end).replaceAll(/[^\n]/gu, ' ') })
  }
  const program: Program = parse(source, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    onToken: tokens,
    onComment: (_, __, start, end) => blank(start, end),
  })
  const exported: string[] = []
  for (const statement of program.body) {
    switch (statement.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'ExportDefaultDeclaration':
        throw new SyntaxError(`a program that anybody may run imports nothing, and exports by name: it has ${statement.type}`)
      case 'ExportNamedDeclaration': {
        const { declaration, specifiers } = statement
        for (const { exported: name, local } of specifiers) exported.push(`${unsuspicious(JSON.stringify(nameOf(name)))}: ${nameOf(local)}`)
        if (declaration === null || declaration === undefined) blank(statement.start, statement.end)
        else {
          blank(statement.start, declaration.start)
          const names = declaration.type === 'VariableDeclaration' ? declaration.declarations.map(({ id }) => id) : [declaration.id]
          for (const name of names) {
            if (name.type !== 'Identifier') throw new SyntaxError('a program exports plain names')
            exported.push(name.name)
          }
        }
        break
      }
      default:
    }
  }
  edits.push(...editsOf(program, tokens, source))
  return `(async () => {${applied(edits, source)}\nreturn { ${exported.join(', ')} } })()`
}

function nameOf(node: { type: string; name?: string; value?: unknown }): string {
  return node.type === 'Identifier' ? (node.name as string) : String(node.value)
}

/** Returns the edits that remove all text that SES would refuse. */
function editsOf(program: Program, tokens: readonly Token[], source: string): Edit[] {
  const edits: Edit[] = []
  const imports = new Set<number>()
  const tagged: Node[] = []
  walk(program, (node) => {
    if (node.type === 'ImportExpression' || node.type === 'MetaProperty') imports.add(node.start)
    if (node.type === 'TaggedTemplateExpression') tagged.push((node as Node & { quasi: Node }).quasi)
  })
  for (const { start, end, type } of tokens) {
    const text = source.slice(start, end)
    if (['string', 'template', 'regexp'].includes(type.label)) {
      // In a regular expression `<!` may begin a look-behind, so it must stay.
      const other = unsuspicious(type.label === 'regexp' ? text.replaceAll('<!--', String.raw`<!-\x2d`) : text)
      if (other === text) continue
      if (type.label === 'template' && tagged.some((quasi) => quasi.start <= start && end <= quasi.end))
        throw new SyntaxError(`a tagged template that looks like a comment of HTML, or like an import: ${text.slice(0, 80)}`)
      edits.push({ start, end, text: other })
    } else if (text === 'import' && !imports.has(start)) edits.push({ start, end, text: String.raw`\u0069mport` })
    else if (source.startsWith('<!--', start)) edits.push({ start: start + 1, end: start + 1, text: ' ' })
    else if (text === '--' && source[end] === '>') edits.push({ start: end, end, text: ' ' })
  }
  return edits
}

/** Returns a literal with the same meaning and without the text that SES refuses. */
function unsuspicious(literal: string): string {
  return literal
    .replaceAll('<!--', String.raw`<\x21--`)
    .replaceAll('-->', String.raw`--\x3e`)
    .replaceAll(/\bimport(?=\s*(?:\(|\/[/*]))/gu, String.raw`i\x6dport`)
}

function applied(edits: readonly Edit[], source: string): string {
  let text = ''
  let at = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    // Nothing is left to change within blanked text.
    if (edit.start < at) continue
    text += source.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return text + source.slice(at)
}
