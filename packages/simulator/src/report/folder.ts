import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** The output folder is there already. */
export class FolderExistsError extends Error {
  readonly code = 'FOLDER_EXISTS'
  override readonly name = 'FolderExistsError'
}

/**
 * A folder that is there with everything in it or not at all: what is written goes into another one beside it, which gets its name in
 * the end.
 */
export class OutputFolder {
  readonly path: string
  /** Where to write until then. */
  readonly draft: string

  /** Throws {@link FolderExistsError} where something would be overwritten. */
  constructor(path: string) {
    this.path = resolve(path)
    this.draft = join(dirname(this.path), `.${basename(this.path)}.${process.pid}.tmp`)
    this.#refuse()
    mkdirSync(this.draft, { recursive: true })
  }

  write(name: string, content: string): void {
    const file = join(this.draft, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content, { flag: 'wx' })
  }

  /** Gives it its name. */
  finish(): void {
    this.#refuse()
    renameSync(this.draft, this.path)
  }

  /** Leaves nothing behind. */
  discard(): void {
    rmSync(this.draft, { recursive: true, force: true })
  }

  #refuse(): void {
    if (existsSync(this.path)) throw new FolderExistsError(`${this.path} is there already; remove it or name another folder`)
  }
}
