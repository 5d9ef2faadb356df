import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** The output folder exists already. */
export class FolderExistsError extends Error {
  readonly code = 'FOLDER_EXISTS'
  override readonly name = 'FolderExistsError'
}

/**
 * An output folder that appears with all of its files or not at all. The files go into a draft
 * folder beside it. `finish` renames the draft.
 */
export class OutputFolder {
  readonly path: string
  /** The folder that receives the files until the call of `finish`. */
  readonly draft: string

  /** Throws {@link FolderExistsError} if the folder exists. */
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

  /** Renames the draft to its final name. */
  finish(): void {
    this.#refuse()
    renameSync(this.draft, this.path)
  }

  /** Removes the draft. */
  discard(): void {
    rmSync(this.draft, { recursive: true, force: true })
  }

  #refuse(): void {
    if (existsSync(this.path)) throw new FolderExistsError(`${this.path} is there already; remove it or name another folder`)
  }
}
