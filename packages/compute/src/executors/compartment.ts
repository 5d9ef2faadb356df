/** Loads a program where it can compute, and reach nothing else. */
import 'ses'
import { parse, type Node, type Program } from 'acorn'
import { compartmentGlobals } from './compartment-globals.ts'

/**
 * Evaluates an ES module that imports nothing in a compartment of its own (SES), with all that the language shares frozen. Called once in a process.
 * @throws SyntaxError for a module that imports something
 */
export async function loadConfined(source: string): Promise<Readonly<Record<string, unknown>>> {
  lockdown({ errorTaming: 'unsafe', overrideTaming: 'severe', consoleTaming: 'unsafe', domainTaming: 'unsafe' })
  const compartment = new Compartment({ globals: harden(compartmentGlobals()), __options__: true })
  return (await compartment.evaluate(scriptOf(source))) as Record<string, unknown>
}

/** A module as a script whose value is its exports: compartments evaluate those. */
function scriptOf(source: string): string {
  const { body }: Program = parse(source, { ecmaVersion: 'latest', sourceType: 'module' })
  const exported: string[] = []
  let script = source
  // Positions stay what they are: what goes is blanked.
  const blank = ({ start, end }: Pick<Node, 'start' | 'end'>): void => {
    script = script.slice(0, start) + script.slice(start, end).replaceAll(/[^\n]/gu, ' ') + script.slice(end)
  }
  for (const statement of body) {
    switch (statement.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'ExportDefaultDeclaration':
        throw new SyntaxError(`a program that anybody may run imports nothing, and exports by name: it has ${statement.type}`)
      case 'ExportNamedDeclaration': {
        const { declaration, specifiers } = statement
        for (const { exported: name, local } of specifiers) exported.push(`${JSON.stringify(nameOf(name))}: ${nameOf(local)}`)
        if (declaration === null || declaration === undefined) blank(statement)
        else {
          blank({ start: statement.start, end: declaration.start })
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
  return `(async () => {${script}\nreturn { ${exported.join(', ')} } })()`
}

function nameOf(node: { type: string; name?: string; value?: unknown }): string {
  return node.type === 'Identifier' ? (node.name as string) : String(node.value)
}
