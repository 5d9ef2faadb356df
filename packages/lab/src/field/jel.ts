/** `jel` itself: `jel join --json`. */
import type { Contender } from './contender.ts'

export function jel(bin: string, version: string): Contender {
  return {
    name: 'jel',
    title: `jel ${version}, node ${process.version}`,
    bin,
    args: (_, number) => ['--location', `n${number}`],
  }
}
