import type { Command } from 'commander'
import { bashCompletion } from './bash.ts'
import { treeOf } from './command-tree.ts'
import { fishCompletion } from './fish.ts'
import { zshCompletion } from './zsh.ts'

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const
export type ShellName = keyof typeof shells

/** Returns the script with which a shell completes this command line. */
export function completionOf(program: Command, shell: ShellName): string {
  return shells[shell](treeOf(program))
}
