import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { computeLocal, type LocalGrid, type LocalOptions, type MapOutcome } from '../src/index.ts'

/** A grid on this machine for the tests of a file, and a folder for its files. */
export class CommandGrid {
  /** Temporary files of this process lie here while the tests run. */
  readonly folder = mkdtempSync(join(tmpdir(), 'jel-command-'))
  grid!: LocalGrid

  /** Opens the grid before the tests of this file. It closes after them, and the folder goes. */
  constructor(options: LocalOptions) {
    const outer = process.env['TMPDIR']
    beforeAll(() => {
      // Other test files make folders for commands, too.
      process.env['TMPDIR'] = this.folder
      this.grid = computeLocal({ ...options, cache: join(this.folder, 'cache') })
    })
    afterAll(async () => {
      await this.grid.close()
      if (outer === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = outer
      rmSync(this.folder, { recursive: true })
    })
  }

  /** The folders of commands that run, or ran and left theirs. */
  folders(): string[] {
    return readdirSync(this.folder).filter((name) => name.startsWith('jel-task-'))
  }

  /** Runs a command once, and returns how it ended. */
  async outcomeOf(command: string, on = this.grid): Promise<MapOutcome> {
    const [outcome] = (await (await on.mapCommand(command, [1], { keepGoing: true })).result) as MapOutcome[]
    return outcome as MapOutcome
  }
}
