import { execFile } from 'node:child_process'
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { promisify } from 'node:util'
import { isInside, MAX_FILE_BYTES, MAX_FILES, type CollectedFile } from './collected-files.ts'

/**
 * Maximum number of files and folders below the folder of a command. A guess: a walk takes half a
 * second.
 */
const MAX_ENTRIES = 65_536
/** Bytes of one block, as `stat` counts them. */
const BLOCK = 512

/**
 * A shell command that removes the folder `$1`. It removes read-only folders, too: a cache of Go
 * modules consists of them. A killed process may add a file meanwhile, so there is a second
 * attempt.
 */
export const REMOVE = 'chmod -R u+rwX "$1"; rm -rf "$1" || { sleep 1; rm -rf "$1"; }'

/** A file that a command finds in its working folder. */
export interface FolderFile {
  readonly name: string
  readonly bytes: Uint8Array
  readonly isExecutable: boolean
}

/** The folders of one process of a command. */
export class CommandFolder {
  /** Contains the other folders. */
  readonly base: string
  /** The working folder. It has the files of the command. */
  readonly work: string
  /** For temporary files. */
  readonly temporary: string
  /** Bytes of the files that `fill` wrote. */
  #given = 0

  private constructor(base: string) {
    this.base = base
    this.work = join(base, 'work')
    this.temporary = join(base, 'tmp')
  }

  static async make(): Promise<CommandFolder> {
    const folder = new CommandFolder(await mkdtemp(join(tmpdir(), 'jel-task-')))
    await mkdir(folder.work)
    await mkdir(folder.temporary)
    return folder
  }

  /** Writes the files of the command. */
  async fill(files: readonly FolderFile[]): Promise<void> {
    for (const { name, bytes, isExecutable } of files) {
      this.#given += bytes.length
      await writeFile(join(this.work, name), bytes)
      await chmod(join(this.work, name), isExecutable ? 0o700 : 0o600)
    }
  }

  /** Whether the command wrote more bytes than this, or made too many files. */
  async exceeds(bytes: number): Promise<boolean> {
    let left = bytes + this.#given
    let entries = MAX_ENTRIES
    const folders = [this.base]
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const found = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
        const { code } = error as NodeJS.ErrnoException
        // The command may remove anything meanwhile.
        return code === 'ENOENT' || code === 'ENOTDIR' ? [] : undefined
      })
      // A folder may be unreadable, for example below a path of 4,096 characters.
      if (found === undefined) return true
      for (const entry of found) {
        const path = join(folder, entry.name)
        entries--
        if (entry.isDirectory()) folders.push(path)
        else if (entry.isFile()) left -= ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * BLOCK
        if (left < 0 || entries < 0) return true
      }
    }
    return false
  }

  /**
   * Returns the files of the working folder whose paths match a pattern. Follows no links.
   *
   * @throws Error with the code `COMMAND_FILES_TOO_LARGE`
   */
  async matching(patterns: readonly string[]): Promise<CollectedFile[]> {
    const files: CollectedFile[] = []
    let left = MAX_FILE_BYTES
    for (const path of (await this.#paths('')).sort()) {
      if (!isInside(path) || !patterns.some((pattern) => matchesGlob(path, pattern))) continue
      const { size } = await lstat(join(this.work, path))
      left -= size
      if (left < 0 || files.length === MAX_FILES)
        throw Object.assign(new Error(`the collected files are more than ${MAX_FILES}, or have more than ${MAX_FILE_BYTES} bytes`), {
          code: 'COMMAND_FILES_TOO_LARGE',
        })
      files.push({ path, bytes: await readFile(join(this.work, path)) })
    }
    return files
  }

  /** The paths of all files below a folder, relative to the working folder. */
  async #paths(folder: string): Promise<string[]> {
    const paths: string[] = []
    for (const entry of await readdir(join(this.work, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isFile()) paths.push(path)
      else if (entry.isDirectory()) paths.push(...(await this.#paths(path)))
    }
    return paths
  }

  /**
   * Removes all folders. A process that escaped may prevent this. Then the task is not to blame.
   */
  async remove(): Promise<void> {
    await promisify(execFile)('/bin/sh', ['-c', REMOVE, 'sh', this.base]).catch(() => {})
  }
}
